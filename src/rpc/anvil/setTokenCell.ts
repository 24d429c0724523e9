import { bigIntToFixedBytes } from '../../util/bytes.ts'
import type { NodeContext } from '../context.ts'
import { RpcError } from '../errors.ts'
import { findCell } from '../simulation/findCell.ts'

const WORD_BYTES = 32

/**
 * Makes a call to a token answer with an amount, by an edit of the cell that it reads.
 * @param selector 4 bytes of the method
 * @param accounts its arguments, 20 bytes each
 * @param what names the amount in errors
 * @throws RpcError -32000 where no cell alone decides the answer
 */
export async function setTokenCell(
  context: NodeContext,
  token: Buffer,
  selector: Buffer,
  accounts: readonly Buffer[],
  amount: bigint,
  what: string,
): Promise<void> {
  const padding = Buffer.alloc(12)
  const data = Buffer.concat([selector, ...accounts.flatMap((account) => [padding, account])])
  const cell = findCell(context, context.chain.head(), { to: token, data }, amount)
  if (cell === null) throw new RpcError('executionFailed', `Unable to set ERC20 ${what}, no slot found`)
  const { address, slot } = cell
  await context.commands.dev.editAccount({
    address,
    cell: { slot, value: bigIntToFixedBytes(amount, WORD_BYTES) },
  })
}
