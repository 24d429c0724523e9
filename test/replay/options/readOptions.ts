import { RecordingOptionError, unquoted } from './values.ts'

/** The first line of a recording. */
export interface RecordingHead {
  readonly node: {
    /** Command line, or… */
    readonly cmd?: string
    /** …options alone. */
    readonly options?: readonly string[]
    readonly network?: string
    readonly note?: string
  }
}

/** What the recorded node was started with. */
export interface RecordedOptions {
  readonly network: string
  /** Whether every module was open. */
  readonly allModules: boolean
  /** Text of each option by its key; of several the last. */
  readonly values: ReadonlyMap<string, string>
}

const NETWORK = /^-{0,2}(main|testnet2?|devnet|regtest)$/
/** In words, where a recording would have to list every module. */
const ALL_MODULES = 'all rpc modules enabled'
/** A key before `=`, or before `:` as in a file. */
const ASSIGNMENT = /^([\w.-]+)\s*[=:]\s*(.*)$/s
const WORD = /(?:[^\s"']|"[^"]*"|'[^']*')+/g
/** Ports, paths that were taken out, and what starts the virtual machine. */
const SURROUNDINGS = /^(\d+|\(path\)|java|-cp|-classpath|-jar|\S+\.jar|co\.rsk\.Start|-Xm[sx]\w+|-XX:\S+)$/
/** Flags of the reference that change no answer of a node that was started afresh. */
const FLAGS: ReadonlySet<string> = new Set([
  '--reset',
  '-r',
  '--verify-config',
  '--print-system-info',
  '--skip-java-check',
])
/** Options of the reference's command line that stand for a key; the value is the next word. */
const WITH_VALUE: Readonly<Record<string, string>> = {
  '-rpccors': 'rpc.providers.web.cors',
  '-base-path': 'database.dir',
}

/**
 * The options of the recorded node.
 * @throws RecordingOptionError for a word or a sentence that means nothing here, with it
 */
export function readOptions({ node }: RecordingHead): RecordedOptions {
  const values = new Map<string, string>()
  let network = networkOf(node.network ?? 'regtest')
  let allModules = false
  const assign = (assignment: string): void => {
    const [, key, value] = ASSIGNMENT.exec(assignment.trim()) ?? []
    if (key === undefined || value === undefined) throw unknown(assignment)
    values.set(key, unquoted(value))
  }
  const words = (node.cmd?.match(WORD) ?? []).values()
  for (const word of words) {
    const key = WITH_VALUE[word]
    if (key !== undefined) values.set(key, unquoted(words.next().value ?? ''))
    else if (NETWORK.test(word)) network = networkOf(word)
    else if (SURROUNDINGS.test(word) || FLAGS.has(word)) continue
    else if (/^-[DX]/.test(word)) assign(word.slice(2).replaceAll(/["']/g, ''))
    else throw unknown(word)
  }
  for (const option of node.options ?? []) {
    if (option === ALL_MODULES) allModules = true
    else if (NETWORK.test(option)) network = networkOf(option)
    else assign(option.replace(/^-[DX]/, ''))
  }
  return { network, allModules, values }
}

function networkOf(word: string): string {
  return word.replace(/^--/, '')
}

function unknown(word: string): RecordingOptionError {
  return new RecordingOptionError(`the recording was started with ${word}, which the replay does not know`)
}
