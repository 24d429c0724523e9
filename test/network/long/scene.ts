import { type ChildProcess, execFileSync, fork } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { NODE_KEY_FILE } from '../../../src/p2p/identity/nodeKeyFile.ts'
import type { PeerAddress } from '../../../src/p2p/peers/ports.ts'
import { freePort } from '../../support/nodeProcess.ts'
import type { TestBuild } from '../../support/testBuild.ts'
import type { FromAttackers, ToAttackers } from './attackMessages.ts'
import { type Chains, chainsFile, fillDirectory, openChains } from './chains.ts'
import { createNetworkBuild } from './networkBuild.ts'
import { ProductNode } from './productNode.ts'

const SOURCE_ADDRESS = '127.40.0.1'
const VICTIM_ADDRESS = '127.41.0.1'
const LOOK_MS = 25
const ATTACKERS = fileURLToPath(new URL('../attackers/attackersMain.ts', import.meta.url))

/** Cores are kept apart, so that what attackers do does not take the victim's: it has the first, all others the last. */
const PINS = cpus().length > 1
const VICTIM_CORE = '0'
const OTHER_CORE = String(cpus().length - 1)

/** What all turns of a run share: the compiled node, the chains, who the nodes are. */
export class Scene {
  readonly build: TestBuild
  readonly chains: Chains
  readonly folder: string
  readonly #chainsFile: string
  #source: PeerAddress | null = null
  #victim: PeerAddress | null = null
  #turns = 0

  private constructor(build: TestBuild, chains: Chains, folder: string, file: string) {
    this.build = build
    this.chains = chains
    this.folder = folder
    this.#chainsFile = file
  }

  /** @param known blocks to be synchronised @param growth blocks that come one by one behind them */
  static async open(known: number, growth: number): Promise<Scene> {
    const folder = mkdtempSync(join(tmpdir(), 'rhizome-turns-'))
    const build = await createNetworkBuild()
    const chains = openChains(known, growth, folder)
    const scene = new Scene(build, chains, folder, chainsFile(known, growth))
    await fillDirectory(join(folder, 'source'), chains)
    scene.#source = await scene.#introduce('source', SOURCE_ADDRESS)
    mkdirSync(join(folder, 'victim'))
    scene.#victim = await scene.#introduce('victim', VICTIM_ADDRESS)
    return scene
  }

  get victim(): PeerAddress {
    if (this.#victim === null) throw new Error('nobody is the victim')
    return this.#victim
  }

  get source(): PeerAddress {
    if (this.#source === null) throw new Error('nobody is the source')
    return this.#source
  }

  /** Starts the honest node with the chain that is known. */
  startSource(): Promise<ProductNode> {
    const { folder } = this
    const dataDir = this.#nextFolder()
    cpSync(join(folder, 'source'), dataDir, { recursive: true })
    return this.#start(this.source, dataDir, { under: pin(OTHER_CORE, -5) })
  }

  /** Starts an empty node that follows the honest one. @param program another one than the usual */
  startVictim(program?: string): Promise<ProductNode> {
    const dataDir = this.#nextFolder()
    mkdirSync(dataDir)
    cpSync(join(this.folder, 'victim', NODE_KEY_FILE), join(dataDir, NODE_KEY_FILE))
    const { id, address, port } = this.source
    const under = pin(VICTIM_CORE, 0)
    const peers = [`enode://${id}@${address}:${port}`]
    return this.#start(this.victim, dataDir, { under, peers, ...(program === undefined ? {} : { program }) })
  }

  startAttackers(attacks: readonly string[]): Attackers {
    return new Attackers(attacks, this.victim, this.#chainsFile)
  }

  close(): void {
    rmSync(this.folder, { recursive: true, force: true })
    this.build.remove()
  }

  async #introduce(name: string, address: string): Promise<PeerAddress> {
    const port = 20_000 + ((await freePort()) % 20_000)
    const dataDir = join(this.folder, name)
    const node = await this.#start({ id: '', address, port: port + 1 }, dataDir, {})
    const { id } = await node.request<{ id: string }>('admin_nodeInfo')
    await node.stop()
    return { id, address, port: port + 1 }
  }

  async #start(
    { address, port }: PeerAddress,
    dataDir: string,
    options: {
      under?: readonly string[]
      peers?: readonly string[]
      program?: string
    },
  ): Promise<ProductNode> {
    const program = options.program ?? (await this.build.program())
    return ProductNode.start({ ...options, program, dataDir, address, port: port - 1 })
  }

  #nextFolder(): string {
    this.#turns += 1
    return join(this.folder, `turn-${this.#turns}`)
  }
}

/** All attackers of a turn, in a process of their own. */
export class Attackers {
  stats: FromAttackers['stats'] = {}
  readonly #child: ChildProcess

  constructor(attacks: readonly string[], victim: PeerAddress, chains: string) {
    this.#child = fork(ATTACKERS)
    if (PINS) execFileSync('taskset', ['-apc', OTHER_CORE, String(this.#child.pid)], { stdio: 'ignore' })
    this.#child.on('message', (message: FromAttackers) => {
      this.stats = message.stats
    })
    this.#post({ type: 'begin', attacks, victim, chains })
  }

  /** Resolves once they are at it. */
  async begun(): Promise<void> {
    while (Object.keys(this.stats).length === 0) await sleep(LOOK_MS)
  }

  /** The honest chain has so many blocks now. */
  grown(length: number): void {
    this.#post({ type: 'grown', length })
  }

  stop(): void {
    this.#child.kill('SIGKILL')
  }

  #post(message: ToAttackers): void {
    if (this.#child.connected) this.#child.send(message)
  }
}

function pin(core: string, niceness: number): string[] {
  const nice = niceness === 0 || process.getuid?.() !== 0 ? [] : ['nice', '-n', String(niceness)]
  return PINS ? [...nice, 'taskset', '-c', core] : nice
}
