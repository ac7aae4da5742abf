// Takes the place of the package string-width in the bundle: help has no letters that take two columns, and the package
// compiles a table of Unicode at each start, in three copies.
export default (text) => text.length;
