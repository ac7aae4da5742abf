// Lists of CPUs in the kernel's format.

/** Returns the numbers in a kernel list such as "0-3,8". */
export function numbersOf(list: string): number[] {
  return list
    .split(',')
    .filter((item) => item !== '')
    .flatMap((item) => {
      const [first = 0, last = first] = item.split('-').map(Number);
      return Array.from({ length: last - first + 1 }, (_, i) => first + i);
    });
}
