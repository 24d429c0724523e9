import t from 'tap'
import type { CallRequest } from '../../../src/execution/localExecution.ts'
import { LongCalls } from '../../../src/execution/longCalls.ts'

function request(to: string | null, data: string): CallRequest {
  return {
    from: null,
    to: to === null ? null : Buffer.from(to.repeat(20), 'hex'),
    gas: 1n,
    gasPrice: 0n,
    value: 0n,
    data: Buffer.from(data, 'hex'),
    overrides: [],
  }
}

t.test('a long program is known by contract and function, whatever its arguments', async (t) => {
  const calls = new LongCalls()
  t.notOk(calls.has(request('aa', '01020304')))
  calls.add(request('aa', '0102030405'))
  t.ok(calls.has(request('aa', '0102030499')))
  t.notOk(calls.has(request('aa', '01020305')))
  t.notOk(calls.has(request('bb', '01020304')))
  t.notOk(calls.has(request(null, '01020304')))
})

t.test('it gets another chance now and then', async (t) => {
  const calls = new LongCalls()
  calls.add(request('aa', '01020304'))
  let passedOver = 0
  while (calls.has(request('aa', '01020304'))) passedOver += 1
  t.equal(passedOver, 256)
})
