import t from 'tap'
import { readJsonLines } from '../support/jsonLines.ts'
import { vectorPath } from '../support/vectors.ts'
import { readExchanges } from './exchanges.ts'
import { createRecordedSource } from './recordedSource.ts'
import { replay } from './run.ts'

t.test('recorded reads of blocks, transactions, receipts and logs', async (t) => {
  const source = createRecordedSource(readJsonLines(vectorPath('rpc/chain-main.jsonl')))
  const exchanges = readExchanges(vectorPath('rpc/rpc-main.jsonl'))
  const { methods, unlisted } = await replay(exchanges, source)
  t.same(
    unlisted.map(({ exchange, verdict }) => ({ step: exchange.step, note: exchange.note, verdict })),
    [],
  )
  const equal = [...methods.values()].reduce((sum, tally) => sum + tally.equal, 0)
  t.ok(equal > 0)
})

t.test('the replay sees a changed digit', async (t) => {
  const source = createRecordedSource(readJsonLines(vectorPath('rpc/chain-main.jsonl')))
  const exchanges = readExchanges(vectorPath('rpc/rpc-main.jsonl'))
  const receipt = exchanges.find(({ step }) => step === 190)
  if (receipt === undefined) throw new Error('step 190 is not in the recording')
  const changed = JSON.parse(
    JSON.stringify(receipt).replace('"gasUsed":"0x81420"', '"gasUsed":"0x81421"'),
  ) as typeof receipt
  const { unlisted } = await replay([receipt, changed], source)
  t.equal(unlisted.length, 1)
})
