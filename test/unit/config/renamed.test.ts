import { Command } from 'commander'
import t, { type Test } from 'tap'
import { addEarlierFlag, addFlags, takeFlags } from '../../../src/cli/flags.ts'
import { parseEnvironment } from '../../../src/config/environment.ts'
import { parseConfigFile } from '../../../src/config/file.ts'
import type { OptionTable } from '../../../src/config/option.ts'
import { type OptionSchema, renamedOptions } from '../../../src/config/optionNames.ts'
import { camelToFlag } from '../../../src/config/schema.ts'

const OPTIONS = {
  cacheSize: {
    kind: 'integer',
    group: 'Store',
    minimum: 0,
    maximum: 9,
    default: 1,
    doc: 'A size',
    renamedFrom: { name: 'textRoom', until: '0.2' },
  },
  sending: {
    kind: 'boolean',
    group: 'Store',
    default: true,
    doc: 'A switch',
    renamedFrom: { name: 'mayPost', until: '0.2' },
  },
  permits: {
    kind: 'integer',
    group: 'Store',
    minimum: 0,
    maximum: 9,
    default: 1,
    doc: 'Without effect',
    retired: '0.2',
  },
} as const satisfies OptionTable

interface Source {
  /** The option under its name before, that of now, and both. */
  readonly old: string
  readonly present: string
  readonly read: (schema: OptionSchema, ...given: ('old' | 'present')[]) => Record<string, unknown>
}

const SOURCES: Readonly<Record<string, Source>> = {
  'a flag': {
    old: '--text-room',
    present: '--cache-size',
    read: (schema, ...given) =>
      readFlags(
        schema,
        given.flatMap((name) => [SOURCES['a flag']?.[name] ?? '', '5']),
      ),
  },
  'the environment': {
    old: 'RHIZOME_TEXT_ROOM',
    present: 'RHIZOME_CACHE_SIZE',
    read: (schema, ...given) => {
      const environment = given.map((name) => [SOURCES['the environment']?.[name] ?? '', '5'])
      return parseEnvironment(Object.fromEntries(environment), schema)
    },
  },
  'a file': {
    old: 'textRoom',
    present: 'cacheSize',
    read: (schema, ...given) =>
      parseConfigFile(given.map((name) => `${SOURCES['a file']?.[name]}: 5\n`).join(''), 'node.yaml', schema),
  },
}

function readFlags(schema: OptionSchema, words: readonly string[]): Record<string, unknown> {
  const command = new Command('test').exitOverride().configureOutput({ writeErr: () => undefined })
  for (const [key, option] of Object.entries(OPTIONS)) addFlags(command, camelToFlag(key), option)
  for (const renamed of renamedOptions(OPTIONS)) addEarlierFlag(command, renamed)
  command.parse(words, { from: 'user' })
  return takeFlags(schema, command.opts(), Object.keys(OPTIONS))
}

function schemaOf(version: string): OptionSchema & { readonly warnings: string[] } {
  const warnings: string[] = []
  return { options: OPTIONS, version, warnings, onWarning: (text) => warnings.push(text) }
}

for (const [name, { old, present, read }] of Object.entries(SOURCES)) {
  t.test(`the earlier name of an option in ${name}`, (t: Test) => {
    for (const version of ['0.1.0', '0.2.0', '0.2.9']) {
      const schema = schemaOf(version)
      t.same(read(schema, 'old'), { cacheSize: 5 }, `is taken by ${version}`)
      t.equal(schema.warnings.length, 1, 'with one warning')
      t.ok(
        schema.warnings[0]?.endsWith(
          `${old} is called ${present} now; the old name is taken until version 0.2`,
        ),
      )
    }
    for (const version of ['0.3.0', '1.0.0', '1.2.0']) {
      const schema = schemaOf(version)
      t.throws(() => read(schema, 'old'), {
        code: 'UnknownOption',
        message: new RegExp(`${old} is no option any more; it is called ${present} now$`),
      })
      t.same(schema.warnings, [])
    }
    const schema = schemaOf('0.2.0')
    t.throws(() => read(schema, 'old', 'present'), {
      code: 'Conflict',
      message: /(and|are) .*the same option: give (--cache-size|RHIZOME_CACHE_SIZE|cacheSize) alone$/,
    })
    t.throws(() => read(schemaOf('0.2.0'), 'present', 'old'), { code: 'Conflict' })
    const plain = schemaOf('0.2.0')
    t.same(read(plain, 'present'), { cacheSize: 5 })
    t.same(plain.warnings, [], 'the present name needs no word')
    t.end()
  })
}

t.test('a switch has two earlier flags', (t) => {
  const schema = schemaOf('0.2.0')
  t.same(readFlags(schema, ['--no-may-post']), { sending: false })
  t.same(readFlags(schema, ['--may-post']), { sending: true })
  t.equal(schema.warnings.length, 2)
  t.end()
})

t.test('values under the earlier name keep their bounds', (t) => {
  const schema = schemaOf('0.2.0')
  t.throws(() => parseConfigFile('textRoom: 10', 'f', schema), {
    code: 'InvalidValue',
    message: /^f: textRoom: /,
  })
  t.throws(() => parseEnvironment({ RHIZOME_TEXT_ROOM: '10' }, schema), { code: 'InvalidValue' })
  t.throws(() => readFlags(schema, ['--text-room', '10']), {
    code: 'InvalidValue',
    message: /^--text-room: /,
  })
  t.end()
})

t.test('help does not show earlier flags', (t) => {
  const command = new Command('test')
  for (const renamed of renamedOptions(OPTIONS)) addEarlierFlag(command, renamed)
  for (const [key, option] of Object.entries(OPTIONS)) addFlags(command, camelToFlag(key), option)
  t.notMatch(command.helpInformation(), /text-room|may-post|permits/)
  t.match(command.helpInformation(), /cache-size/)
  t.end()
})

t.test('an option without effect is taken with a warning for a while', (t) => {
  for (const read of [
    (schema: OptionSchema) => readFlags(schema, ['--permits', '3']),
    (schema: OptionSchema) => parseEnvironment({ RHIZOME_PERMITS: '3' }, schema),
    (schema: OptionSchema) => parseConfigFile('permits: 3', 'f', schema),
  ]) {
    const schema = schemaOf('0.2.1')
    t.same(read(schema), { permits: 3 })
    t.match(schema.warnings, [/ermits has no effect any more; it is taken until version 0.2$/i])
    t.throws(() => read(schemaOf('0.3.0')), { code: 'UnknownOption', message: /is to be removed$/ })
  }
  t.end()
})
