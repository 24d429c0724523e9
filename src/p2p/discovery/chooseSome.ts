/**
 * Some of the items, in random order.
 * @param most how many
 * @param random a whole number from 0 on, below the given one
 */
export function chooseSome<T>(items: readonly T[], most: number, random: (below: number) => number): T[] {
  const rest = [...items]
  const count = Math.min(most, rest.length)
  for (let index = 0; index < count; index += 1) {
    const other = index + random(rest.length - index)
    const chosen = rest[other] as T
    rest[other] = rest[index] as T
    rest[index] = chosen
  }
  return rest.slice(0, count)
}
