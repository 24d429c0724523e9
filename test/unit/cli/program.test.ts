import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import t from 'tap'
import { RlpError } from '../../../src/chain/codec/rlpReader.ts'
import { UndecidedBlockError } from '../../../src/chain/validation/errors.ts'
import { COMMANDS } from '../../../src/cli/allCommands.ts'
import { describeFailure, toFailure } from '../../../src/cli/errors.ts'
import { HELP_TOPICS } from '../../../src/cli/helpTopics.ts'
import { createProgram } from '../../../src/cli/program.ts'
import { parseConfigFile } from '../../../src/config/file.ts'
import { fillDefaults } from '../../../src/config/load.ts'
import { flagOf, OPTION_KEYS, OPTIONS } from '../../../src/config/schema.ts'
import { StorageError } from '../../../src/storage/errors.ts'

async function run(words: string[], environment: Record<string, string> = {}) {
  const stdout = new PassThrough()
  const stderr = new PassThrough()
  const program = createProgram({ stdout, stderr, environment, version: '1.2.3' }, COMMANDS)
  let thrown: unknown
  try {
    await program.command.parseAsync(words, { from: 'user' })
  } catch (error) {
    thrown = error
  }
  const text = (stream: PassThrough) => String(stream.read() ?? '')
  return { code: program.exitCode(), thrown, stdout: text(stdout), stderr: text(stderr) }
}

t.test('help names every command and the exit codes', async (t) => {
  const { stdout } = await run(['--help'])
  for (const command of ['start', 'import', 'export', 'check', 'mine', 'miners', 'produce', 'config'])
    t.match(stdout, new RegExp(`^ +${command} `, 'm'))
  t.match(stdout, /Exit codes:\n +0 /)
})

t.test('every command has help with the flags it reads', async (t) => {
  const { stdout } = await run(['import', '--help'])
  t.match(stdout, '<FILE...>')
  t.match(stdout, '--commit-every')
  t.notMatch(stdout, '--http-port')
  t.match((await run(['check', '--help'])).stdout, '--full')
  t.match((await run(['start', '--help'])).stdout, /--block-time <N>/)
})

t.test('the help of a command with all options is short, and has topics', async (t) => {
  const linesOf = (text: string) => text.split('\n').length
  const flags = OPTION_KEYS.filter((key) => !('retired' in OPTIONS[key])).map(flagOf)
  const isIn = (text: string) => (flag: string) => new RegExp(`^  ${flag}(?: |$)`, 'm').test(text)
  for (const words of [['start'], ['config', 'show']]) {
    const help = async (...topic: string[]) => {
      const { stdout, stderr, thrown } = await run([...words, ...topic])
      t.match(thrown, { exitCode: 0 })
      t.equal(stderr, '')
      return stdout
    }
    const short = await help('--help')
    t.equal(await help('-h'), short)
    t.ok(linesOf(short) < 80, String(linesOf(short)))
    for (const { name, doc } of HELP_TOPICS) t.match(short, new RegExp(`^  ${name} +${doc}$`, 'm'))
    t.match(short, new RegExp(`rhizome ${words.join(' ')} --help dev`))
    const all = await help('--help', 'all')
    t.same(
      flags.filter((flag) => !isIn(all)(flag)),
      [],
    )
    const shown = new Set<string>()
    for (const { name, groups } of HELP_TOPICS) {
      const text = await help('--help', name)
      t.ok(linesOf(text) < linesOf(all) / 2, name)
      t.same(
        text.match(/^[A-Z][a-z ]+:$/gm),
        groups.map((group) => `${group}:`),
        'its groups alone, in its order',
      )
      for (const flag of flags.filter(isIn(text))) shown.add(flag)
    }
    t.same(
      flags.filter((flag) => !shown.has(flag)),
      [],
      'each option is in a topic',
    )
  }
  t.match(await run(['start', '-h', 'fleet']), { stdout: /--fleet-name/ })
  const wrong = await run(['start', '--help', 'devv'])
  t.match(wrong, {
    stdout: '',
    stderr: "error: no topic 'devv' of help; did you mean dev?\n",
    thrown: { exitCode: 1 },
  })
  t.match((await run(['start', '--help', 'x'])).stderr, /topics are dev, node, .*, all/)
})

t.test('the version is printed alone', async (t) => {
  t.equal((await run(['--version'])).stdout, '1.2.3\n')
})

t.test('a wrong flag or command is refused with the name that was meant', async (t) => {
  const flag = await run(['start', '--netwrok', 'main'])
  t.match(flag.thrown, { exitCode: 1 })
  t.match(flag.stderr, /unknown option '--netwrok'\n\(Did you mean --network\?\)/)
  t.match((await run(['start', '--port=8545'])).stderr, 'Did you mean --http-port?')
  for (const words of [['--fleet-hold', '50'], ['--fleet-hold=50']])
    t.match(
      (await run(['start', ...words])).stderr,
      /^error: --fleet-hold is no option any more: .*--fleet-adopt-wait/,
    )
  t.match(
    (await run(['start', '--mnemonic', 'test', 'test', 'junk'])).stderr,
    'value with spaces stands in quotes',
  )
  t.match((await run(['imprt'])).stderr, 'Did you mean import?')
  t.match((await run(['import'])).stderr, "missing required argument 'FILE'")
})

t.test('a list is given with commas, in several flags, or both', async (t) => {
  const words = ['--snapshot-keys', 'a,b', '--snapshot-keys', 'c', '--http-port', '1', '--http-port', '2']
  const { stdout } = await run(['config', 'show', '--json', ...words])
  t.match(JSON.parse(stdout), { snapshotKeys: ['a', 'b', 'c'], httpPort: 2 })
})

t.test('a value out of bounds is a configuration error', async (t) => {
  const { thrown } = await run(['config', 'show', '--http-port', '70000'])
  t.same(describeFailure(thrown), {
    message: '--http-port: expected integer from 0 to 65535, got "70000"',
    exitCode: 2,
  })
})

t.test('config show prints a file that gives the same configuration', async (t) => {
  const { stdout, code } = await run([
    'config',
    'show',
    '--network',
    'testnet',
    '--no-state-overrides',
    '--workers',
    '3',
  ])
  t.equal(code, 0)
  const given = { network: 'testnet', stateOverrides: false, workers: 3 } as const
  t.same(fillDefaults(parseConfigFile(stdout, 'shown')), fillDefaults(given))
  const json = await run(['config', 'show', '--json', '--allowed-hosts', 'a,b'], { RHIZOME_MINING: 'false' })
  t.match(JSON.parse(json.stdout), { allowedHosts: ['a', 'b'], mining: false, network: 'regtest' })
})

t.test('config show keeps secrets, and what it prints in their place is none', async (t) => {
  const { stdout, code } = await run(['config', 'show', '--coinbase-secret', 'seven-words'])
  t.equal(code, 0)
  t.match(stdout, /^coinbaseSecret: "\[hidden\]"$/m)
  t.notMatch(stdout, 'seven-words')
  const file = join(t.testdir(), 'shown.yaml')
  writeFileSync(file, stdout)
  t.match(describeFailure((await run(['config', 'show', '--config', file])).thrown), {
    message: /--coinbase-secret: expected the text itself/,
    exitCode: 2,
  })
})

t.test('config check names the key that is wrong', async (t) => {
  const folder = t.testdir()
  const good = join(folder, 'good.yaml')
  const bad = join(folder, 'bad.yaml')
  writeFileSync(good, 'network: main\n')
  writeFileSync(bad, 'blockTiem: 3\n')
  t.equal((await run(['config', 'check', good])).stdout, `${good}: ok\n`)
  t.equal((await run(['config', 'check', '--config', good])).stdout, `${good}: ok\n`)
  t.same(describeFailure((await run(['config', 'check', bad])).thrown), {
    message: `${bad}: blockTiem is no option; did you mean blockTime?`,
    exitCode: 2,
  })
})

t.test('only an unforeseen error shows its stack', async (t) => {
  t.match(describeFailure(new Error('lost')).message, /lost\n +at /)
  t.equal(describeFailure(new Error('lost')).exitCode, 1)
})

t.test('only a store that takes no writes is called whole', (t) => {
  const block = { number: 5, hashHex: 'ab'.repeat(32) }
  const undecided = (cause: unknown) => new UndecidedBlockError(block, cause)
  const full = new StorageError('STORAGE_UNWRITABLE', 'no room')
  const corrupt = new StorageError('STORAGE_CORRUPT', 'the head has no total difficulty')
  const cases: [unknown, number, RegExp][] = [
    [full, 1, /^no room: .*; what is stored is whole$/],
    [undecided(full), 1, /is whole$/],
    [Object.assign(new Error('ENOSPC'), { errno: -28 }), 1, /is whole$/],
    [corrupt, 4, /^the head has no total difficulty: run `rhizome check`/],
    [undecided(corrupt), 4, /^the head has no total difficulty/],
    [new RlpError('element ends inside its length'), 4, /store in \/data is damaged \(element ends/],
    [undecided(new RlpError('one element expected')), 1, /^block 5 0xabab.* cannot be judged: one element/],
  ]
  for (const [thrown, exitCode, message] of cases) {
    const told = describeFailure(toFailure(thrown, '/data'))
    t.equal(told.exitCode, exitCode, String(thrown))
    t.match(told.message, message)
    t.equal(/is whole/.test(told.message), String(message).includes('whole'))
  }
  t.end()
})
