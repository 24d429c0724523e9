import { readFileSync } from 'node:fs'
import t from 'tap'
import { loadSocketLibrary } from '../../../src/front/socketLibrary.ts'
import { CUT, describeOutcome, isWanted, PARSER_CASES } from '../../abuse/parserCases.ts'
import { sendRaw } from '../../abuse/sendRaw.ts'
import { openHttpService } from '../../support/httpService.ts'

const README = new URL('../../abuse/README.md', import.meta.url)

/** What the table of the README says of this node with a build of the socket library, by case. */
function documented(build: string): Map<string, string> {
  const rows = readFileSync(README, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.split('|').map((cell) => cell.trim()))
  const column = rows.find((row) => row.includes('RFC 9112'))?.indexOf(`this node, ${build}`) ?? -1
  if (column < 0) throw new Error(`no column for ${build}`)
  return new Map(rows.flatMap((row) => namesOf(row[1] ?? '').map((name) => [name, row[column] ?? ''])))
}

/** The cases of a row: of those that are cut, neighbours with the same outcome share one. */
function namesOf(name: string): string[] {
  const range = /(\d+) to (\d+)$/.exec(name)
  if (!name.startsWith(CUT) || range === null) return [name]
  const [first, last] = [Number(range[1]), Number(range[2])]
  return Array.from({ length: last - first + 1 }, (_, index) => `${CUT} ${first + index}`)
}

const sockets = loadSocketLibrary()
const service = await openHttpService({ sockets })
t.teardown(() => service.stop())
const table = documented(sockets.source.split(' ')[0] ?? '')

for (const one of PARSER_CASES) {
  t.test(one.name, async (t) => {
    const outcome = await sendRaw(service.port, one.pieces)
    const cell = table.get(one.name)
    t.type(cell, 'string', 'stands in the table')
    if (cell?.startsWith('**')) t.equal(describeOutcome(one, outcome), cell, 'as the README says')
    else t.ok(isWanted(one, outcome), describeOutcome(one, outcome))
    const [status] = outcome.statuses
    if (status !== undefined && status >= 400) t.ok(outcome.closed, 'the connection ends')
  })
}

t.test('what the headers show is refused with 400', async (t) => {
  const shown = PARSER_CASES.filter(({ name }) => /Content-Length|Transfer-Encoding|two Hosts/.test(name))
  const refused = shown.filter(({ wanted, name }) => wanted !== 'answer' && name !== 'no Host')
  t.ok(refused.length >= 14)
  for (const { name, pieces } of refused) {
    t.same(await sendRaw(service.port, pieces), { statuses: [400], closed: true }, name)
  }
})
