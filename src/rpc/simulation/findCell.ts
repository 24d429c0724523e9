import type { BlockHeader } from '../../chain/codec/header.ts'
import type { CallRequest } from '../../execution/callTypes.ts'
import { bigIntToFixedBytes, fromHex } from '../../util/bytes.ts'
import type { NodeContext } from '../context.ts'
import { tracing } from '../tracers/traceBlock.ts'

const WORD_BYTES = 32
/** Most cells that are tried: what a balance or an allowance is made of are a few. */
const MAX_CANDIDATES = 256

/** A cell of an account. */
export interface Cell {
  /** 20 bytes. */
  readonly address: Buffer
  readonly slot: bigint
}

/** The prestate of a call, as the native core writes it. */
type Prestate = Readonly<Record<string, { readonly storage?: Readonly<Record<string, string>> }>>

/**
 * The cell that a call without arguments to spare answers with: the call is traced for the cells that it reads, and each
 * is given a value that the call must answer with. A second value rules out a cell that only has the value already, and
 * an answer that does not come from the cell.
 * @param to 20 bytes
 * @param value the word that the cell is to have
 * @returns null when there is none
 * @throws RpcError as a trace
 */
export function findCell(
  context: NodeContext,
  header: BlockHeader,
  { to, data }: { readonly to: Buffer; readonly data: Buffer },
  value: bigint,
): Cell | null {
  const { execution, node } = context
  const request: CallRequest = {
    from: null,
    to,
    gas: node.settings.callGasCap,
    gasPrice: 0n,
    value: 0n,
    data,
    overrides: [],
  }
  const answersWith = ({ address, slot }: Cell, word: bigint): boolean => {
    const bytes = bigIntToFixedBytes(word, WORD_BYTES)
    const overrides = [{ address, stateDiff: new Map([[slot, bytes]]) }]
    const outcome = execution.call(header, { ...request, overrides })
    // A contract may answer with more than the word.
    return outcome.status === 'success' && outcome.output.subarray(0, WORD_BYTES).equals(bytes)
  }
  const other = value === 0n ? 1n : value - 1n
  return (
    readCells(context, header, request)
      .filter(({ address }) => !execution.isPrecompiled(header, address))
      .find((cell) => answersWith(cell, value) && answersWith(cell, other)) ?? null
  )
}

/** The cells that a call reads, those of the called contract first. */
function readCells(context: NodeContext, header: BlockHeader, request: CallRequest): Cell[] {
  const { texts } = tracing(context, header, () =>
    context.tracing.call(header, request, { tracer: 'prestate', diffMode: false }),
  )
  const accounts = Object.entries(JSON.parse(texts[0] ?? '{}') as Prestate)
  const cells = accounts.flatMap(([account, { storage = {} }]) => {
    const address = fromHex(account)
    return Object.keys(storage).map((slot): Cell => ({ address, slot: BigInt(slot) }))
  })
  const isOwn = ({ address }: Cell) => request.to?.equals(address) === true
  return [...cells.filter(isOwn), ...cells.filter((cell) => !isOwn(cell))].slice(0, MAX_CANDIDATES)
}
