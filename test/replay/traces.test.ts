import t from 'tap'
import { vectorPath } from '../support/vectors.ts'
import { type Exchange, readExchanges, requestMethods } from './exchanges.ts'
import { createExecutedSource } from './executedSource.ts'
import { replay } from './run.ts'

t.test('recorded traces, on the states of the imported chain', async (t) => {
  const source = await createExecutedSource(vectorPath('rpc/chain-main.jsonl'))
  t.teardown(() => source.close())
  const exchanges = readExchanges(vectorPath('rpc/rpc-main.jsonl')).filter(isAboutTraces)
  const { methods, unlisted } = await replay(exchanges, source)
  t.same(
    unlisted.map(({ exchange, verdict }) => ({ step: exchange.step, note: exchange.note, verdict })),
    [],
  )
  const tallies = [...methods.values()]
  const equal = tallies.reduce((sum, tally) => sum + tally.equal, 0)
  const listed = tallies.reduce((sum, tally) => sum + tally.listed, 0)
  t.comment(`${equal} equal, ${listed} with a listed difference`)
  t.ok(equal > 70 && listed > 100)

  // Of the traces that are equal to the letter, one with every instruction, changed in one digit.
  const whole = exchanges.find(({ note }) => note === 'options disableStack')
  if (whole === undefined) throw new Error('the trace with instructions is not in the recording')
  const changed = JSON.parse(JSON.stringify(whole).replace('"gas":178413', '"gas":178414')) as Exchange
  t.equal((await replay([whole, changed], source)).unlisted.length, 1, 'a changed digit is seen')

  // Corrections excuse no other change of the same answer.
  const nested = exchanges.find(({ note }) => note === 'trace nested')
  if (nested === undefined) throw new Error('the nested trace is not in the recording')
  const wrongGas = JSON.parse(
    JSON.stringify(nested).replace('"gas":"0x74953"', '"gas":"0x74954"'),
  ) as Exchange
  t.equal((await replay([nested, wrongGas], source)).unlisted.length, 1, 'nor inside a corrected one')
})

function isAboutTraces(exchange: Exchange): boolean {
  const [method] = requestMethods(exchange)
  return method !== undefined && /^(debug_(trace|getRaw|wire)|trace_)/.test(method)
}
