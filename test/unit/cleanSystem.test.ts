import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { readmeCommands } from '../../.ci/cleanSystem/readme.ts'
import { refusal } from '../../.ci/cleanSystem/refusal.ts'
import { CELLS } from '../../.ci/cleanSystem/systems.ts'
import { table } from '../../.ci/cleanSystem/table.ts'
import { ROOT } from '../support/sources.ts'

t.test('the commands are those of README', async (t) => {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8')
  const { start, test } = readmeCommands(readme)
  t.match(start, /^npm ci && npm start$/)
  t.match(test, /^npm ci && npm test$/)
  t.throws(() => readmeCommands(readme.replace('npm test', 'npm run try')), /README has no/)
  t.throws(() => readmeCommands(readme.replace('## Run it', '## Try it')), /README has no/)
  t.throws(() => readmeCommands(''), /README has no/)
})

t.test('a refusal is one sentence that names the versions that work', async (t) => {
  const working = [20, 22, 24]
  const sentence = 'This runs on Node.js 20, 22 and 24 only.'
  t.equal(refusal([sentence], working), sentence)
  const ofNpm = ['npm warn EBADENGINE Unsupported engine {', 'npm error code 1', `npm error ${sentence}`]
  t.equal(refusal([...ofNpm, 'npm error A complete log of this run can be found in: x'], working), sentence)
  t.equal(refusal(['npm error code 1', 'npm error command sh -c node native/install.mjs'], working), null)
  t.equal(refusal(['This runs on Node.js 20 and 22 only.'], working), null)
  t.equal(refusal([sentence, `${sentence} Or on Node.js 25.`], working), null)
  t.equal(refusal([sentence, '    at ModuleJob.run (node:internal/modules)'], working), null)
  t.equal(refusal([sentence, "x.node: version `GLIBC_2.38' not found"], working), null)
  t.equal(refusal([], working), null)
})

t.test('each system is built on before anything is refused on it', async (t) => {
  const systems = new Set(CELLS.map((cell) => cell.system))
  t.ok(systems.size >= 2)
  for (const system of systems) {
    const cells = CELLS.filter((cell) => cell.system === system)
    t.equal(cells[0]?.expected, 'answers', system.name)
  }
  const pairs = CELLS.map(({ system, node }) => `${system.suite} ${node.version}`)
  t.equal(new Set(pairs).size, pairs.length)
})

t.test('the table marks what failed', async (t) => {
  const row = {
    ...{ system: 'Debian 0', node: '1.2.3', command: 'npm ci', passed: true, outcome: 'answers' },
    ...{ seconds: 83.2, firstAnswer: 1.25, bytes: 12_400_000 },
  }
  const failed = { ...row, passed: false, outcome: 'exit 1', seconds: 2, firstAnswer: null, bytes: null }
  t.equal(
    table([row, failed]),
    [
      '| system | Node.js | command | outcome | time | first answer | size |',
      '| --- | --- | --- | --- | --- | --- | --- |',
      '| Debian 0 | 1.2.3 | `npm ci` | answers | 1 min 23 s | 1.3 s | 12 MB |',
      '| Debian 0 | 1.2.3 | `npm ci` | **failed**: exit 1 | 2.0 s |  |  |',
    ].join('\n'),
  )
})
