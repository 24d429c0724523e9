import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { accountOf } from '../rpc/encode.ts'
import { type Peer, startAnvil, startGethOn } from '../rpc/peers.ts'
import { processorSeconds } from '../rpc/processStats.ts'
import { CONTRACT, slotOf } from './stateWorkload.ts'

/** Nodes of others with the same accounts and cells in their genesis. */
export interface StatePeers {
  readonly peers: readonly Peer[]
  stop(): Promise<void>
}

const WORD_DIGITS = 64
const ENTRIES_PER_WRITE = 10_000
const QUIET_POLL_MS = 1000
/** Share of a processor below which a node is at rest. */
const QUIET_SHARE = 0.1
const MAX_POLLS = 300
const RULES = [
  'homestead',
  'eip150',
  'eip155',
  'eip158',
  'byzantium',
  'constantinople',
  'petersburg',
  'istanbul',
  'berlin',
  'london',
]

/** Starts anvil and geth where they are installed, says which are not, and waits until both are at rest. */
export async function startStatePeers(size: number): Promise<StatePeers> {
  const folder = mkdtempSync(join(tmpdir(), 'rhizome-state-peers-'))
  const peers: Peer[] = []
  const stop = async () => {
    for (const peer of peers) await peer.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    const genesis = join(folder, 'genesis.json')
    writeGenesis(genesis, size)
    const starts = {
      anvil: () => startAnvil(['--init', genesis]),
      geth: () => startGethOn(join(folder, 'geth'), genesis),
    }
    for (const [name, start] of Object.entries(starts)) {
      const peer = await start()
      if (peer === null) console.error(`${name} is not installed: left out`)
      else peers.push(peer)
    }
    for (const peer of peers) await untilAtRest(peer)
    return { peers, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** A genesis of the form that both take, written piece by piece: it has gigabytes at a few million entries. */
function writeGenesis(file: string, size: number): void {
  const output = openSync(file, 'w')
  const config = Object.fromEntries(RULES.map((rule) => [`${rule}Block`, 0]))
  const head = {
    config: { chainId: 1337, ...config, terminalTotalDifficulty: 0, shanghaiTime: 0 },
    nonce: '0x0',
    timestamp: '0x0',
    extraData: '0x',
    gasLimit: '0x1c9c380',
    difficulty: '0x0',
    mixHash: `0x${'0'.repeat(WORD_DIGITS)}`,
    coinbase: `0x${'0'.repeat(40)}`,
  }
  const writeEntries = (entry: (number: number) => string) => {
    for (let from = 0; from < size; from += ENTRIES_PER_WRITE) {
      const length = Math.min(ENTRIES_PER_WRITE, size - from)
      const entries = Array.from({ length }, (_, i) => entry(from + i))
      writeSync(output, `${from === 0 ? '' : ','}${entries.join(',')}`)
    }
  }
  try {
    writeSync(output, `${JSON.stringify(head).slice(0, -1)},"alloc":{`)
    writeEntries((number) => `"${accountOf(number)}":{"balance":"0x${(number + 1).toString(16)}"}`)
    const contract = `"0x${CONTRACT.toString('hex')}":{"balance":"0x0","nonce":"0x1","code":"0x00","storage":{`
    writeSync(output, `${size === 0 ? '' : ','}${contract}`)
    writeEntries((number) => {
      const value = (number + 1).toString(16).padStart(WORD_DIGITS, '0')
      return `"0x${slotOf(number).toString('hex')}":"0x${value}"`
    })
    writeSync(output, '}}}}')
  } finally {
    closeSync(output)
  }
}

/** A node makes its tables of the newest state after its start. */
async function untilAtRest({ name, pid }: Peer): Promise<void> {
  if (pid === null) return
  for (let poll = 0; poll < MAX_POLLS; poll += 1) {
    const before = processorSeconds(pid)
    await sleep(QUIET_POLL_MS)
    if (processorSeconds(pid) - before < (QUIET_SHARE * QUIET_POLL_MS) / 1000) return
  }
  throw new Error(`${name} does not come to rest`)
}
