import t from 'tap'
import type { NodeContext } from '../../../src/rpc/context.ts'
import { invalidParams, RpcError } from '../../../src/rpc/errors.ts'
import type { RefusalReport } from '../../../src/rpc/reports/executionReports.ts'
import { reportingRefusals } from '../../../src/rpc/sending/sentBy.ts'

t.test('what is refused before the pool has it is reported with its reason, once', async (t) => {
  const reported: unknown[] = []
  const context = { reports: { report: (report: RefusalReport) => reported.push(report) } }
  const send = (action: () => string) => reportingRefusals(context as unknown as NodeContext, 'm', action)
  t.equal(await send(() => '0x1'), '0x1')
  await t.rejects(
    send(() => {
      throw invalidParams('transaction type not valid')
    }),
    { message: 'transaction type not valid' },
  )
  // The pool's own refusals are reported where their transaction is known.
  await t.rejects(
    send(() => {
      throw new RpcError('transactionRefused', 'nonce too low')
    }),
    { message: 'nonce too low' },
  )
  t.same(reported, [{ kind: 'refusal', method: 'm', hash: null, reason: 'transaction type not valid' }])
})
