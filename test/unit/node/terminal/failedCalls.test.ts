import t from 'tap'
import { FailedCalls } from '../../../../src/node/terminal/failedCalls.ts'
import type { CallReport, ExecutionSummary } from '../../../../src/rpc/reports/executionReports.ts'

const SOMEBODY = `0x${'aa'.repeat(20)}`
const NO_CODE = new Uint8Array()

function callOf(changes: Partial<ExecutionSummary>, method = 'eth_estimateGas'): CallReport {
  const summary = {
    ...{ from: SOMEBODY, to: SOMEBODY, created: null, value: 3n, input: '0x', gasUsed: 21_000n },
    ...{ error: 'execution reverted', isRevert: true, output: '0x' },
    ...{ console: [], moreConsole: 0, contracts: [], ...changes },
  }
  return { kind: 'call', method, gasLimit: 100_000n, block: 7, summary }
}

t.test('calls that failed are kept, newest first, and the others are not', (t) => {
  const calls = new FailedCalls()
  calls.add(callOf({ error: null, isRevert: false }))
  calls.add(callOf({ output: '0x01', console: ['0x02'] }))
  const implementation = `0x${'bb'.repeat(20)}`
  const contracts = [SOMEBODY, implementation].map((address) => ({
    ...{ address, code: NO_CODE, isPrecompiled: false },
  }))
  calls.add(callOf({ error: 'out of gas', isRevert: false, output: '0x03', contracts }, 'eth_call'))
  t.match(calls.list(), [
    { number: 2, method: 'eth_call', error: 'out of gas', output: null, implementation },
    { number: 1, method: 'eth_estimateGas', output: '0x01', console: ['0x02'], implementation: null },
  ])
  t.equal(calls.list().length, 2)
  t.end()
})

t.test('they are bounded in number', (t) => {
  const calls = new FailedCalls()
  for (let count = 0; count < 250; count += 1) calls.add(callOf({}))
  t.equal(calls.list().length, 100)
  t.match(calls.list()[0], { number: 250 })
  t.match(calls.list()[99], { number: 151 })
  t.end()
})

t.test('they are bounded in bytes, each and together', (t) => {
  const calls = new FailedCalls()
  const long = `0x${'ab'.repeat(1_000_000)}`
  const printed = new Array(1000).fill(`0x${'cd'.repeat(500)}`)
  for (let count = 0; count < 100; count += 1)
    calls.add(callOf({ input: long, output: long, console: printed, moreConsole: 5 }))
  const list = calls.list()
  const [newest] = list
  t.match(newest, { number: 100 })
  t.equal((newest?.console.length ?? 0) + (newest?.moreConsole ?? 0), 1005)
  t.ok((newest?.console.length ?? 0) > 10)
  t.ok(newest?.input.startsWith('0xabab') && newest.input.length < 20_000)
  const characters = JSON.stringify(list, (_, value) =>
    typeof value === 'bigint' ? Number(value) : value,
  ).length
  t.ok(list.length > 5 && characters < 1.1 * 1024 * 1024, `${list.length} calls, ${characters} characters`)
  // One call to the console that is longer than all of them may be leaves nothing printed.
  calls.add(callOf({ console: [long] }))
  t.match(calls.list()[0], { console: [], moreConsole: 1 })
  t.end()
})
