import t from 'tap'
import { parseEnvironment } from '../../../src/config/environment.ts'
import { parseConfigFile } from '../../../src/config/file.ts'
import { OTHER_NAMES } from '../../../src/config/otherNames.ts'
import { camelToFlag, OPTION_KEYS } from '../../../src/config/schema.ts'
import { suggestOption } from '../../../src/config/suggestOption.ts'

t.test('an option of the same meaning is proposed, not one that is written alike', (t) => {
  for (const [given, meant] of [
    ['--port', 'httpPort'],
    ['--rpc-port', 'httpPort'],
    ['--ws-port', 'httpPort'],
    ['--http.port', 'httpPort'],
    ['--http', 'httpPort'],
    ['--prot', 'httpPort'],
    ['--http.addr', 'host'],
    ['--datadir', 'dataDir'],
    ['--chain', 'network'],
    ['--silent', 'logLevel'],
    ['--metrics', 'metricsPort'],
    ['--http.corsdomain', 'corsOrigin'],
    ['--bootnodes', 'peers'],
    ['--gas-limit', 'targetGasLimit'],
    ['--netwrok', 'network'],
    ['--networ', 'network'],
    ['--hots', 'host'],
    ['--timezone', 'quotaTimezone'],
    ['--fork', 'forkUrl'],
    ['--fork-block-number', 'forkBlock'],
    ['--steps-tracing', undefined],
    ['--acounts', 'accounts'],
    ['--seed-words', undefined],
    ['--x', undefined],
    ['--', undefined],
  ] as const) {
    t.equal(suggestOption(given, OPTION_KEYS), meant, given)
  }
  t.equal(suggestOption('--port', ['host', 'dataDir']), undefined, 'a command without the option')
  t.end()
})

t.test('in a file and in the environment, too', (t) => {
  t.throws(() => parseConfigFile('port: 8545', 'f'), {
    message: /port is no option; did you mean httpPort\?/,
  })
  t.throws(() => parseEnvironment({ RHIZOME_PORT: '8545' }), { message: /did you mean RHIZOME_HTTP_PORT\?/ })
  t.throws(() => parseEnvironment({ RHIZOME_SEED_WORDS: 'x' }), {
    message: /RHIZOME_SEED_WORDS is no option$/,
  })
  t.end()
})

t.test('each other name is of one option and is none itself', (t) => {
  const flags = new Set<string>(OPTION_KEYS.map(camelToFlag))
  const names = Object.entries(OTHER_NAMES).flatMap(([key, others]) => {
    t.ok((OPTION_KEYS as readonly string[]).includes(key), key)
    return others
  })
  t.equal(new Set(names).size, names.length)
  t.same(
    names.filter((name) => flags.has(`--${name}`)),
    [],
  )
  t.end()
})
