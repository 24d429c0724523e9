import t from 'tap'
import { decodeKey, encodeKey } from '../../../src/storage/access/keyRecord.ts'
import { keyRecord } from '../../support/keyRecords.ts'

t.test('a record of an earlier release has no form of reverts', (t) => {
  const { revertErrors: _, ...earlier } = JSON.parse(encodeKey(keyRecord('ada')).toString()) as {
    revertErrors: unknown
  }
  t.same(decodeKey('ada', Buffer.from(JSON.stringify(earlier))), keyRecord('ada'))
  const geth = keyRecord('ada', { revertErrors: 'geth' })
  t.same(decodeKey('ada', encodeKey(geth)), geth)
  const odd = Buffer.from(JSON.stringify({ ...earlier, revertErrors: 'parity' }))
  t.throws(() => decodeKey('ada', odd), { code: 'ACCESS_DAMAGED' })
  t.end()
})
