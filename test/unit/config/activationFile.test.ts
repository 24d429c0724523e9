import { join } from 'node:path'
import t from 'tap'
import { parseActivationFile, readActivationFile } from '../../../src/config/activationFile.ts'
import { NEVER } from '../../../src/config/activations.ts'
import { loadConfig } from '../../../src/config/load.ts'
import { chosenNetwork, configuredNetwork, networkChoice } from '../../../src/config/networks/configured.ts'
import { regtest, regtestActivations } from '../../../src/config/networks/regtest.ts'

const parse = (heights: object) => parseActivationFile(JSON.stringify(heights), 'heights', regtestActivations)

t.test('an upgrade moves its rules, a rule itself', (t) => {
  const heights = parse({ iris300: 100, rskip199: 120, rskip134: NEVER })
  t.equal(heights.rskip200, 100)
  t.equal(heights.rskip199, 120, 'a rule wins over its upgrade')
  t.equal(heights.rskip134, NEVER)
  t.equal(heights.rskip293, 0, 'what the file does not name stays')
  t.same(parse({}), regtest.activationHeights)
  t.end()
})

t.test('rules to which the network gives heights of their own stay when their upgrade moves', (t) => {
  const heights = parse({ reed810: 40, orchid: 7 })
  t.match(heights, { rskip502: 40, rskip144: 1, rskip351: 1, rskip85: 7, rskip97: NEVER })
  t.match(parse({ reed810: 40, rskip144: 40 }), { rskip144: 40 })
  t.end()
})

t.test('names and heights that are wrong are told with their file', (t) => {
  t.throws(() => parse({ iris301: 1 }), {
    code: 'UnknownOption',
    message: 'heights: iris301 is no upgrade and no rule; did you mean iris300?',
  })
  for (const height of [-2, 1.5, '7', null, 2 ** 60]) {
    t.throws(() => parse({ rskip126: height }), { code: 'InvalidValue' }, JSON.stringify(height))
  }
  t.throws(() => parse([1]), { code: 'InvalidFile' })
  t.throws(() => readActivationFile(join(t.testdir(), 'none'), regtestActivations), {
    code: 'UnreadableFile',
  })
  t.end()
})

t.test('a configuration chooses the heights of its network, which cross threads as data', (t) => {
  const folder = t.testdir({ heights: '{"rskip134": 9}', broken: '{"rskip1": 9}' })
  const file = join(folder, 'heights')
  const config = loadConfig({ flags: { network: 'devnet', activationHeights: file } })
  const choice = structuredClone(networkChoice(config))
  t.equal(chosenNetwork(choice).activationHeights.rskip134, 9)
  t.equal(configuredNetwork(config).chainId, 32)
  t.equal(configuredNetwork({ network: 'regtest', activationHeights: null }), regtest)
  t.throws(() => loadConfig({ flags: { network: 'main', activationHeights: file } }), { code: 'Conflict' })
  t.throws(() => loadConfig({ flags: { activationHeights: join(folder, 'broken') } }), {
    code: 'UnknownOption',
  })
  t.end()
})
