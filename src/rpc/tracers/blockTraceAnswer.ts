import type { Block } from '../../chain/codec/block.ts'
import type { TraceForm } from '../../execution/traceForms.ts'
import { toHex } from '../../util/bytes.ts'
import type { NodeContext } from '../context.ts'
import { invalidParams } from '../errors.ts'
import { RawJson } from '../json.ts'
import { traceTransactions } from './traceBlock.ts'

/**
 * The traces of a block's transactions: the plain traces for the reference's own tracer, with transaction hashes for
 * geth's tracers.
 * @throws RpcError for the genesis block with the reference's tracer, as the reference
 */
export function blockTraceAnswer(context: NodeContext, block: Block, form: TraceForm): RawJson {
  const bare = form.tracer === 'structLogs'
  if (bare && block.number === 0) throw invalidParams('the genesis block has no trace')
  const texts = traceTransactions(context, block, form).map(({ index, texts }) => {
    const hash = block.transactions[index]?.hash
    const text = texts.join(',')
    return bare || hash === undefined ? text : `{"txHash":"${toHex(hash)}","result":${text}}`
  })
  return new RawJson(`[${texts.join(',')}]`)
}
