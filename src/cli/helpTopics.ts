import { type Command, CommanderError, Help, Option } from 'commander'
import type { OptionGroup } from '../config/option.ts'
import { flagOf, type OptionKey } from '../config/schema.ts'
import { suggest } from '../config/suggest.ts'

/** Groups of options for one kind of reader. */
export interface HelpTopic {
  /** The word behind `--help`. */
  readonly name: string
  /** For the list of topics, without a full stop. */
  readonly doc: string
  readonly groups: readonly Exclude<OptionGroup, 'Command'>[]
}

/** Topics of help; each group of options is in one at least. */
export const HELP_TOPICS: readonly HelpTopic[] = [
  {
    name: 'dev',
    doc: 'a chain to develop on: its accounts, how blocks are made',
    groups: ['Development chain', 'Block production', 'Pool'],
  },
  { name: 'node', doc: 'network, directory, stores, logs, metrics', groups: ['Node', 'Store', 'Operation'] },
  {
    name: 'service',
    doc: 'an endpoint for others: ports, methods, keys, limits',
    groups: ['Service', 'Access', 'Limits'],
  },
  {
    name: 'peers',
    doc: 'following a network: peers, synchronisation, snapshots',
    groups: ['Peers', 'Snapshots'],
  },
  { name: 'fleet', doc: 'several nodes as one service', groups: ['Fleet'] },
  {
    name: 'production',
    doc: 'making blocks: transactions that wait, gas limit, prices',
    groups: ['Block production', 'Pool', 'Stable gas price'],
  },
  { name: 'mining', doc: 'pools and miners', groups: ['Merged mining', 'Block production'] },
]

/** The topic that has them all. */
const ALL = 'all'

/** The options that most people look for, in the order of help. */
const COMMONEST: readonly OptionKey[] = [
  'network',
  'dataDir',
  'config',
  'httpPort',
  'host',
  'modules',
  'corsOrigin',
  'blockTime',
  'clientName',
  'mnemonic',
  'accounts',
  'syncMode',
  'logLevel',
]

const COMMONEST_HEADING = 'The commonest options:'

/**
 * Gives a command with the options of the whole node a short help, and one for each topic behind `--help`. To be called
 * when it has its options.
 * @param name words of the command, e.g. `start`
 */
export function addHelpTopics(command: Command, name: string): void {
  let topic: string | null = null
  const plain = new Help()
  command
    .helpOption(false)
    .addOption(new Option('-h, --help [TOPIC]', 'these, or the options of a topic'))
    .configureHelp({
      visibleOptions: (shown) => optionsOf(plain.visibleOptions(shown), topic),
      groupItems: (all, visible, groupOf) => {
        if (topic === ALL || visible.length === 0) return plain.groupItems(all, visible, groupOf)
        const headings = topic === null ? [] : headingsOf(topic)
        const groups = headings.map((heading) => [
          heading,
          visible.filter((item) => groupOf(item) === heading),
        ])
        return new Map(
          topic === null ? [[COMMONEST_HEADING, visible]] : (groups as [string, typeof visible][]),
        )
      },
    })
    .addHelpText('after', () => (topic === null ? topicList(name) : ''))
    .on('option:help', (given: string | null | undefined) => {
      topic = given ?? null
      assertTopic(command, topic)
      command.outputHelp()
      throw new CommanderError(0, 'commander.helpDisplayed', '(outputHelp)')
    })
}

/** The options that help shows: without a topic the commonest, in their order. */
function optionsOf(all: readonly Option[], topic: string | null): Option[] {
  if (topic === ALL) return [...all]
  if (topic !== null) {
    const headings = headingsOf(topic)
    return all.filter(({ helpGroupHeading }) => headings.includes(helpGroupHeading ?? ''))
  }
  const flags: readonly string[] = [...COMMONEST.map(flagOf), '--help']
  return flags.flatMap((flag) => all.find(({ long }) => long === flag) ?? [])
}

/** Headings of the groups of a topic. */
function headingsOf(topic: string): string[] {
  return (HELP_TOPICS.find(({ name }) => name === topic)?.groups ?? []).map((group) => `${group}:`)
}

/** @throws CommanderError of a usage error for a topic that there is not */
function assertTopic(command: Command, topic: string | null): void {
  const names = [...HELP_TOPICS.map(({ name }) => name), ALL]
  if (topic === null || names.includes(topic)) return
  const meant = suggest(topic, names)
  const hint = meant === undefined ? `topics are ${names.join(', ')}` : `did you mean ${meant}?`
  command.error(`error: no topic '${topic}' of help; ${hint}`)
}

function topicList(name: string): string {
  const width = Math.max(...HELP_TOPICS.map((topic) => topic.name.length)) + 2
  const lines = [...HELP_TOPICS, { name: ALL, doc: 'every option' }].map(
    (topic) => `  ${topic.name.padEnd(width)}${topic.doc}`,
  )
  return ['', `The others by topic, as in \`rhizome ${name} --help dev\`:`, ...lines].join('\n')
}
