import { MAX_CATCH_UP_EVENTS } from '../../filters/catchUps.ts'
import { countEvents } from '../../filters/chainWalk.ts'
import type { ResumePoint } from '../../filters/subscriptionHub.ts'
import type { NodeContext } from '../context.ts'
import { invalidParams } from '../errors.ts'
import { assertReceiptsKept, unknownBlock } from '../select/history.ts'

/**
 * Where a subscription with `fromBlock` begins (decisions.md D68).
 * @throws RpcError `unknownBlock`; `invalidParams` that names how many blocks may lie between the block and the head;
 *   `historyNotKept` where the blocks after it have no receipts here
 */
export function resumePoint({ chain }: NodeContext, hash: Buffer): ResumePoint {
  const header = chain.storedHeader(hash)
  if (header === null) throw unknownBlock(hash)
  const head = chain.head()
  const block = { number: header.number, hash }
  if (countEvents(chain, block, head.number, MAX_CATCH_UP_EVENTS) === null) {
    throw invalidParams(
      `fromBlock is more than ${MAX_CATCH_UP_EVENTS} blocks away from the head, abandoned ones included: read the logs before it with eth_getLogs`,
    )
  }
  assertReceiptsKept(chain, Math.min(header.number + 1, head.number))
  return { block, head: { number: head.number, hash: head.hash } }
}
