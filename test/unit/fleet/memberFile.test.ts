import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import {
  findMemberFile,
  MEMBER_FILE,
  readMemberFile,
  writeMemberFile,
} from '../../../src/fleet/memberFile.ts'
import { testFolder } from '../../support/testFolder.ts'

t.test('a member keeps its id, number and place in the log', async (t) => {
  const folder = join(testFolder(t), 'new')
  t.equal(findMemberFile(folder, 'one'), null)
  const made = readMemberFile(folder, 'one')
  t.match(made, { id: /^[0-9a-f]{16}$/, fleet: 'one', number: null, log: null, named: [] })
  t.not(readMemberFile(folder, 'one').id, made.id, 'what is not written is not kept')
  const log = { created: '2026-11-24T10:00:00Z', sequence: 12, time: 1_795_514_400_000 }
  const state = { ...made, number: 7, log, named: [made.id, '0123456789abcdef'] }
  writeMemberFile(folder, state)
  t.same(readMemberFile(folder, 'one'), state)
  t.same(findMemberFile(folder, 'one'), state)
  t.equal(statSync(join(folder, MEMBER_FILE)).mode & 0o077, 0, 'nobody else reads it')
  writeMemberFile(folder, { ...state, log: { ...state.log, sequence: 13 } })
  t.equal(readMemberFile(folder, 'one').log?.sequence, 13)
})

t.test('in another fleet it is the same member with nothing else', async (t) => {
  const folder = testFolder(t)
  writeMemberFile(folder, { id: '0123456789abcdef', fleet: 'one', number: 7, log: null, named: [] })
  t.same(readMemberFile(folder, 'two'), {
    ...{ id: '0123456789abcdef', fleet: 'two', number: null },
    ...{ log: null, named: [] },
  })
})

t.test(
  'the file of an earlier version tells neither the time of the entry nor whom the head named',
  async (t) => {
    const folder = testFolder(t)
    const log = { created: '2026-11-24T10:00:00Z', sequence: 12 }
    const file = { format: 1, id: '0123456789abcdef', fleet: 'one', number: 1, log }
    writeFileSync(join(folder, MEMBER_FILE), JSON.stringify(file))
    t.match(readMemberFile(folder, 'one'), { log: { ...log, time: null }, named: [] })
  },
)

t.test('a file that does not parse is refused: the id must not change by accident', async (t) => {
  const folder = testFolder(t)
  const path = join(folder, MEMBER_FILE)
  const good = { format: 1, id: '0123456789abcdef', fleet: 'one', number: 1, log: null }
  const wrong = [
    '',
    '{',
    'null',
    { ...good, id: 'x' },
    { ...good, format: 2 },
    { ...good, number: '1' },
    { ...good, log: {} },
    { ...good, log: { created: '', sequence: 1, time: 'x' } },
    { ...good, named: 'x' },
    { ...good, named: ['x'] },
    { ...good, named: Array.from({ length: 1025 }, () => good.id) },
  ]
  for (const content of wrong) {
    const text = typeof content === 'string' ? content : JSON.stringify(content)
    writeFileSync(path, text)
    t.throws(
      () => readMemberFile(folder, 'one'),
      { code: 'Malformed', message: 'as a new member' },
      text.slice(0, 100),
    )
    t.equal(readFileSync(path, 'utf8'), text, 'and stays')
  }
})
