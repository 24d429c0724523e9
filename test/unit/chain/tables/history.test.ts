import t from 'tap'
import { readHistory, writeHistory } from '../../../../src/chain/tables/metadata.ts'
import { SyntheticChain } from '../../../support/syntheticChain.ts'

const { environment } = new SyntheticChain(t)

t.test('a store that says nothing has everything', (t) => {
  t.same(readHistory(environment), { firstBlock: 0, firstReceipts: 0, firstState: 0 })
  t.end()
})

t.test('a store of format 4 has the receipts of all of its blocks', (t) => {
  const record = Buffer.from('0000000003e8' + '0000000007d0', 'hex')
  environment.transaction((writer) => writer.put('metadata', Buffer.from('history'), record))
  t.same(readHistory(environment), { firstBlock: 1000, firstReceipts: 1000, firstState: 2000 })
  t.end()
})

t.test('what is written is read', (t) => {
  const history = { firstBlock: 0, firstReceipts: 5_000_000_000, firstState: 5_000_000_001 }
  environment.transaction((writer) => writeHistory(writer, history))
  t.same(readHistory(environment), history)
  t.end()
})
