import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createNode } from '../../src/library/developmentNode.ts'
import { toHex } from '../../src/util/bytes.ts'
import { signedTransaction } from '../support/signedTransaction.ts'
import { type EnteredFunction, ThreadProfiles } from './threadProfiles.ts'

const HELP = `npm run walks [-- --list]: files and functions of src/ that a request enters on its way, by thread

  --list   also prints them, one file a line`

/** Requests of each kind: counted is what all of them enter, as timers run when they are due. */
const ROUNDS = 6
/** Those before: the first ones enter what is only made once. */
const WARM_UP = 3
/** Milliseconds after an answer in which the threads end what they do for it. */
const REST = 150

const ACCOUNT = '0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826'
const CALLED = '0x0000000000000000000000000000000000000004'

/** Method and parameters. */
type Request = readonly [method: string, params: readonly unknown[]]

/** A way through the node: the request of each round. */
interface Walk {
  readonly name: string
  readonly request: (round: number) => Request
}

/** By thread, the functions that were entered in every round. */
type Entered = ReadonlyMap<string, readonly EnteredFunction[]>

const WALKS: readonly Walk[] = [
  { name: 'balance, answered by the core', request: () => ['eth_getBalance', [ACCOUNT, 'latest']] },
  {
    name: 'call, answered by a worker',
    // With a gas limit it is not the front's; no two have the same answer.
    request: (round) => ['eth_call', [{ to: CALLED, gas: '0x100000', data: word(round) }, 'latest']],
  },
  {
    name: 'send with its block',
    request: (round) => [
      'eth_sendRawTransaction',
      [toHex(signedTransaction({ nonce: BigInt(round), value: 1n }).encoded)],
    ],
  },
  {
    name: 'block by number, written by a worker',
    request: (round) => ['eth_getBlockByNumber', [`0x${(round + 1).toString(16)}`, true]],
  },
]

const { values } = parseArgs({
  options: { list: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
})
if (values.help) console.log(HELP)
else await printWalks(values.list)

async function printWalks(isListed: boolean): Promise<void> {
  const profiles = new ThreadProfiles(new URL('../../', import.meta.url).href)
  await profiles.open()
  const node = await createNode({ network: 'regtest' })
  console.log('| walk | thread | files | functions |\n| --- | --- | --- | --- |')
  try {
    const lines: string[] = []
    // What timers enter all the time belongs to no request.
    const idle = await enteredOf(null, node.url, profiles)
    for (const walk of WALKS) {
      for (const [thread, all] of await enteredOf(walk.request, node.url, profiles)) {
        const ofTimers = new Set(idle.get(thread)?.map(keyOf))
        const entered = all.filter((one) => !ofTimers.has(keyOf(one)))
        if (entered.length === 0) continue
        const files = [...new Set(entered.map(({ file }) => file))].sort()
        console.log(`| ${walk.name} | ${thread} | ${files.length} | ${entered.length} |`)
        lines.push(
          `\n${walk.name}, ${thread}`,
          ...files.map((file) => `  ${file}: ${namesOf(entered, file)}`),
        )
      }
    }
    if (isListed) console.log(lines.join('\n'))
  } finally {
    await node.stop()
    profiles.close()
  }
}

/** The functions that every round enters. @param request null for rounds in which nothing is asked */
async function enteredOf(
  request: Walk['request'] | null,
  url: string,
  profiles: ThreadProfiles,
): Promise<Entered> {
  const always = new Map<string, Map<string, EnteredFunction>>()
  for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
    await sleep(REST)
    await profiles.take()
    if (request !== null) await ask(url, ...request(round))
    await sleep(REST)
    if (round < WARM_UP) continue
    for (const [thread, entered] of await profiles.take()) {
      const now = new Map(
        entered.filter(({ file }) => file.startsWith('src/')).map((one) => [keyOf(one), one]),
      )
      const before = always.get(thread)
      if (before === undefined) always.set(thread, now)
      else for (const key of before.keys()) if (!now.has(key)) before.delete(key)
    }
  }
  return new Map([...always].map(([thread, entered]) => [thread, [...entered.values()]]))
}

async function ask(url: string, method: string, params: readonly unknown[]): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const text = await response.text()
  if (!text.includes('"result":') || text.includes('"result":null')) throw new Error(`${method}: ${text}`)
}

function keyOf({ file, name, start }: EnteredFunction): string {
  return `${file} ${name} ${start}`
}

function word(value: number): string {
  return `0x${value.toString(16).padStart(64, '0')}`
}

function namesOf(entered: readonly EnteredFunction[], file: string): string {
  return entered
    .filter((one) => one.file === file)
    .map(({ name }) => name || '(anonymous)')
    .join(', ')
}
