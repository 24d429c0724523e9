/**
 * The lowest block from which on values of states can be read, if all above one that can can be read.
 * @param upTo a block that is the answer where no lower one has values
 * @param hasValues whether values of the state after the canonical block of a height are there
 */
export function firstBlockWithValues(upTo: number, hasValues: (number: number) => boolean): number {
  let low = 0
  let high = upTo
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (hasValues(middle)) high = middle
    else low = middle + 1
  }
  return low
}
