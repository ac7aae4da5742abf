// Words that tests/language.mjs rejects in names and comments.

/** Words that may not be the whole name of a type or exported value, because they name no thing: participles, adverbs, ... */
export const emptyNames = new Set(
  `Added Aligned Alike Asked Away Banded Begun Beside Blocked Borrowed Both Bound Cached Called Captured Caught Changed
   Charted Checked Chosen Coalesced Collected Compared Computed Connected Counted Decided Derived Done Drawn Each Earlier Else
   Ended Estimated Examined Exchanged Expected Explained Exposed Failed Fetched Filled Filtered Finished Folded Forgotten Found
   Given Going Gone Grouped Heard Held Here Hidden Issued Joined Judged Kept Known Last Learned Left Linked Listed Loaded Lost
   Made Matched Meant Measured Measuring Merged Met Missing Modelled Named Narrowing Next None Nothing Now Observed Offered Once
   Opened Ordered Other Others Own Packed Paired Parted Pending Picked Placed Planned Pooled Posted Predicted Preloaded Prepared
   Printed Probed Published Queued Quoted Read Reached Received Recorded Reduced Refused Rejected Released Remaining Remembered
   Rendered Renumbered Requested Retried Retyped Said Sampled Scaled Seen Sent Served Shared Shown Shuffled Simulated Sized
   Skipped Sorted Spent Spoken Stalled Started Stopped Stored Stretched Swept Switched Taken Tested Their Then There Timed Together
   Told Touched Traced Trusted Turning Two Unlike Upgraded Used Usual Valued Varying Waited Waiting Wanted Ways What When Where
   Whole Wished Written
   At In Of On Why`.split(/\s+/),
);

/** Words that no type name may contain: metaphors (of a play, a hospital, a house, a road), and words replaced by others. */
export const bannedWords = new Set(
  `Said Told Asked Crew Patient Patience Party Door Knock Knocked Lap Laps Wish Beside Meanwhile Surroundings Witness Culprit
   Likeness Turnstile`.split(/\s+/),
);

/** Exported functions and constants that say nothing by themselves, in addition to the words of `emptyNames`. */
export const emptyFunctions = new Set(
  `all at each nobody of on one own rowOf told what why words`.split(' '),
);

/** Type names that only types without `export` may have; the name of an exported type also names its owner. */
export const genericNames = new Set(
  `Case Choice Column Columns Entry Fields Finding Findings Format Found Group Info Item Kind Label Labels Level Limits Line
   Lines Mark Name Names Options Order Output Part Parts Place Reading Result Row Rule Section Settings Side Source State Table
   Test Text Tree Value Values Verdict Word Words Work`.split(/\s+/),
);

/** First words that leave a comment without a subject. */
export const headlessWords = ['Of', 'What', 'There', 'Not', 'Who', 'Those', 'So', 'As', 'None', 'Else'];

/** Names that no parameter, constant or variable may have: metaphors, and participles that do not say what they hold. */
export const bannedVariables = ['crew', 'ground', 'grounds', 'party', 'turnstile', 'wish', 'witness'];

/** Names that no parameter or property with a named type may have, because the type's noun says more. */
export const bannedTypedNames = ['told'];
