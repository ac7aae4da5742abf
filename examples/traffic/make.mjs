// Writes the routings and prompt lengths of this folder: node examples/traffic/make.mjs [FOLDER]. README.md states the distributions.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const seed = 39;
const [ranks, experts, topK, tokens] = [4, 32, 4, 256];
const layers = ['00', '08', '16', '24'];
const exponent = 1;
/** Share of the experts that change places from one of these layers to the next. */
const drift = 0.25;
/** Standard deviation of the logarithm by which the prompts of a rank prefer an expert. */
const preference = 0.3;
const lengths = { count: 8, median: 200, sigma: 1, page: 16 };

/** Random numbers from 0 to 1 (mulberry32). */
function generator(state) {
  let bits = state;
  return () => {
    bits = (bits + 0x6d2b79f5) | 0;
    let mixed = Math.imul(bits ^ (bits >>> 15), 1 | bits);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const random = generator(seed);
const above0 = () => 1 - random();
/** A number of the standard normal distribution (Box and Muller). */
const normal = () => Math.sqrt(-2 * Math.log(above0())) * Math.cos(2 * Math.PI * random());
const swap = (items, a, b) => {
  [items[a], items[b]] = [items[b], items[a]];
};

/** Experts that one token goes to: drawn by weight, without repetition (the largest of weight and Gumbel noise). */
function expertsOfToken(logWeights) {
  const keys = logWeights.map((weight, expert) => [weight - Math.log(-Math.log(above0())), expert]);
  return keys
    .sort((a, b) => b[0] - a[0])
    .slice(0, topK)
    .map(([, expert]) => expert);
}

function countsOfRank(popularity) {
  const weights = popularity.map((position) => -exponent * Math.log(position + 1) + preference * normal());
  const counts = new Array(experts).fill(0);
  for (let token = 0; token < tokens; token += 1)
    for (const expert of expertsOfToken(weights)) counts[expert] += 1;
  return counts;
}

/** Inverse of the standard normal distribution, by bisection of a sum (error below 1e-6). */
function quantile(share) {
  const below = (x) => {
    let [sum, term] = [x, x];
    for (let n = 1; n < 60; n += 1) {
      term *= -(x * x) / (2 * n);
      sum += term / (2 * n + 1);
    }
    return 0.5 + sum / Math.sqrt(2 * Math.PI);
  };
  let [low, high] = [-4, 4];
  while (high - low > 1e-7) {
    const middle = (low + high) / 2;
    if (below(middle) < share) low = middle;
    else high = middle;
  }
  return low;
}

const folder = process.argv[2] ?? path.dirname(fileURLToPath(import.meta.url));
const popularity = Array.from({ length: experts }, (_, expert) => expert);
for (let n = experts - 1; n > 0; n -= 1) swap(popularity, n, Math.floor(random() * (n + 1)));
for (const layer of layers) {
  const rows = Array.from({ length: ranks }, () => countsOfRank(popularity).join(' '));
  const head = `# synthetic, layer ${Number(layer)}: tokens of ${ranks} ranks for ${experts} experts, top ${topK}, ${tokens} tokens each; make.mjs, seed ${seed}`;
  writeFileSync(path.join(folder, `layer-${layer}.txt`), `${[head, ...rows].join('\n')}\n`);
  for (let n = 0; n < (drift * experts) / 2; n += 1)
    swap(popularity, Math.floor(random() * experts), Math.floor(random() * experts));
}
const prompts = Array.from({ length: lengths.count }, (_, n) => {
  const exact = lengths.median * Math.exp(lengths.sigma * quantile((n + 0.5) / lengths.count));
  return Math.ceil(exact / lengths.page) * lengths.page;
});
writeFileSync(path.join(folder, 'prompt-tokens.txt'), `${prompts.join(',')}\n`);
