import type { BlockHeader } from '../../chain/codec/header.ts'
import type { NodeContext, StateView } from '../context.ts'

/**
 * A canonical block whose state has what that before it has not, by bisection: the first such block where nothing is
 * ever lost again.
 * @returns null where the state after genesis has it already, or that of the head has not
 */
export function firstBlockWith(
  { chain, state }: NodeContext,
  has: (state: StateView) => boolean,
): BlockHeader | null {
  const hasAfter = (header: BlockHeader) => has(state.at(header))
  const genesis = chain.headerByNumber(0)
  let found = chain.head()
  if (genesis === null || hasAfter(genesis) || !hasAfter(found)) return null
  for (let below = 0; found.number - below > 1; ) {
    const middle = chain.headerByNumber(Math.floor((below + found.number) / 2))
    if (middle === null) return null
    if (hasAfter(middle)) found = middle
    else below = middle.number
  }
  return found
}
