import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { mountSmallDisk, type SmallDisk } from '../../faults/smallDisk.ts'
import { type CommandResult, startCommand } from '../../support/cli.ts'
import { NATS_USER, type NatsCluster, startNatsCluster } from '../../support/natsServer.ts'
import { underClock, underClockAhead } from './clock.ts'
import { FleetNetwork } from './fleetNetwork.ts'
import { MemberProcess } from './memberProcess.ts'

export interface TestFleetOptions {
  /** Folder of all data. */
  readonly folder: string
  readonly members: number
  /** Of them, those that are started at once; all unless given. */
  readonly started?: number
  /** Servers of NATS: 1 or 3; 0 for members that are no fleet. */
  readonly servers: number
  /** Compiled command line of the members. */
  readonly program: string
  /** That of a neighbouring version which members can go over to. */
  readonly otherProgram?: string
  readonly args?: readonly string[]
  /** More arguments of one member. */
  readonly argsOf?: (member: number) => readonly string[]
  /** Whether links can be cut: each member and server is in a namespace of its own, where that is allowed. */
  readonly network?: boolean
  /** Whether clocks can be moved, where libfaketime is installed. */
  readonly clocks?: boolean
  /** Seconds by which the clocks of all members are ahead of the machine's, where libfaketime is installed. */
  readonly clockAhead?: number
  /** Size of a disk of its own for the last member, MiB, where that is allowed; 0 for none. */
  readonly disk?: number
}

/** Name of the fleets of tests. */
export const FLEET_NAME = 'test'
const READY_MS = 120_000
/** Nothing leaves a pool for its age, so that what was acknowledged is there in the end. */
const LIMITS = ['--outdated-blocks', '1000000', '--outdated-time', '31536000', '--account-slots', '1000']

/** Members and servers of NATS, each a process of its own. */
export class TestFleet {
  readonly servers: NatsCluster | null
  readonly members: readonly MemberProcess[]
  /** null where links cannot be cut. Members come first among its hosts, then servers. */
  readonly network: FleetNetwork | null
  /** That of the last member; null where it has none. */
  readonly disk: SmallDisk | null
  readonly #keys: { path: string }
  readonly #options: TestFleetOptions
  /** Nothing may be left of a run that is ended. */
  readonly #onExit = () => {
    for (const member of this.members) member.kill()
    this.disk?.unmount()
  }

  private constructor(
    options: TestFleetOptions,
    servers: NatsCluster | null,
    network: FleetNetwork | null,
    disk: SmallDisk | null,
    members: readonly MemberProcess[],
    keys: { path: string },
  ) {
    this.#options = options
    this.servers = servers
    this.network = network
    this.disk = disk
    this.members = members
    this.#keys = keys
    process.once('exit', this.#onExit)
  }

  /** Starts servers and members, one member after the other; all are ready when this returns. */
  static async start(options: TestFleetOptions): Promise<TestFleet> {
    const network = options.network === true ? FleetNetwork.create(options.members + options.servers) : null
    const disk = (options.disk ?? 0) > 0 ? mountSmallDisk(options.disk ?? 0) : null
    const servers = options.servers === 0 ? null : await startServers(options, network)
    const keys = { path: '' }
    const members = await Promise.all(
      Array.from({ length: options.members }, (_, member) =>
        MemberProcess.create(memberOptions(options, member, { servers, network, disk, keys })),
      ),
    )
    const fleet = new TestFleet(options, servers, network, disk, members, keys)
    try {
      if (servers !== null) await fleet.command(['fleet', 'init'])
      for (const member of members.slice(0, options.started)) {
        await member.start()
        await member.untilReady(READY_MS)
      }
      return fleet
    } catch (error) {
      await fleet.close()
      throw error
    }
  }

  /** Waits until all members say that they may be asked. @throws Error that names one that does not */
  async untilReady(): Promise<void> {
    await Promise.all(this.members.map((member) => member.untilReady(READY_MS)))
  }

  /** Makes a key of the fleet; members are asked with the first one from then on. @returns its secret */
  async makeKey(id: string, words: readonly string[] = []): Promise<string> {
    const secret = (await this.command(['key', 'create', '--id', id, ...words])).trim()
    if (this.#keys.path === '') this.#keys.path = `/${secret}`
    return secret
  }

  /** Members are asked with a key that was made otherwise from now on. */
  askWith(secret: string): void {
    this.#keys.path = `/${secret}`
  }

  /** Path of the first key that was made; empty before. */
  get path(): string {
    return this.#keys.path
  }

  /** Starts another process over a copy of the data of a member; it is to be ended. */
  async startCopy(dataDir: string): Promise<MemberProcess> {
    const { servers, network, members } = this
    const options = memberOptions(this.#options, members.length, {
      servers,
      network,
      disk: null,
      keys: this.#keys,
    })
    const copy = await MemberProcess.create({ ...options, dataDir })
    await copy.start()
    return copy
  }

  async close(): Promise<void> {
    process.off('exit', this.#onExit)
    await Promise.all(this.members.map((member) => member.end('SIGKILL')))
    await this.servers?.kill()
    this.network?.remove()
    this.disk?.unmount()
  }

  /** Processes of members and servers that run. */
  get pids(): readonly number[] {
    const members = this.members.filter(({ isRunning }) => isRunning)
    return [...members.map(({ pid }) => pid), ...(this.servers?.servers.map(({ pid }) => pid) ?? [])]
  }

  /**
   * Runs the command line against the fleet, or against the data of the first member where there is none.
   * @returns what it printed
   * @throws Error when it fails
   */
  async command(words: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await this.run(
      words,
      this.servers === null ? this.members[0] : undefined,
    )
    if (code !== 0) throw new Error(`rhizome ${words.join(' ')}: ${stdout}${stderr}`)
    return stdout
  }

  /** Runs the command line with the options of the fleet, on the machine of a member where one is given. */
  run(words: readonly string[], member?: Pick<MemberProcess, 'dataDir'>): Promise<CommandResult> {
    const where = [
      ...(this.servers === null ? [] : fleetArguments(this.servers)),
      ...(member === undefined ? [] : ['--data-dir', member.dataDir]),
    ]
    return startCommand([...words, ...where], [], [this.#options.program]).done
  }
}

function startServers(
  { folder, members, servers }: TestFleetOptions,
  network: FleetNetwork | null,
): Promise<NatsCluster> {
  return startNatsCluster(servers, {
    folder: join(folder, 'nats'),
    lines: ['ping_interval: "2s"'],
    ...(network === null ? {} : { hosts: network.hosts.slice(members) }),
  })
}

/** How the command line reaches the fleet. */
export function fleetArguments({ urls }: NatsCluster): readonly string[] {
  return [
    ...['--fleet', urls.join(','), '--fleet-name', FLEET_NAME],
    ...['--fleet-user', NATS_USER.user, '--fleet-password', NATS_USER.password],
  ]
}

interface Surroundings {
  readonly servers: NatsCluster | null
  readonly network: FleetNetwork | null
  readonly disk: SmallDisk | null
  readonly keys: { readonly path: string }
}

function memberOptions(
  options: TestFleetOptions,
  member: number,
  { servers, network, disk, keys }: Surroundings,
) {
  const { folder, members, program, args = [], argsOf, clocks = false, clockAhead = 0 } = options
  const host = network?.hosts[member]
  const clock = join(folder, `clock-${member}`)
  const faked = clocks ? underClock(clock) : null
  if (faked !== null) writeFileSync(clock, '+0')
  const inFleet =
    servers === null
      ? []
      : [
          ...fleetArguments(servers),
          ...['--fleet-member', `m${member}`, '--block-headers', '--p2p-port', '0', '--no-discovery'],
        ]
  const ahead = clockAhead === 0 ? null : underClockAhead(clockAhead)
  const under = [...(host?.under ?? []), ...(faked ?? ahead ?? [])]
  return {
    member,
    dataDir: disk !== null && member === members - 1 ? join(disk.path, 'data') : join(folder, `m${member}`),
    args: [
      '--no-page',
      '--workers',
      '1',
      '--log-level',
      'warn',
      ...LIMITS,
      ...inFleet,
      ...args,
      ...(argsOf?.(member) ?? []),
    ],
    program,
    ...(options.otherProgram === undefined ? {} : { otherProgram: options.otherProgram }),
    clock: faked === null ? null : clock,
    path: () => keys.path,
    ...(under.length === 0 ? {} : { under }),
    ...(host === undefined ? {} : { host: host.address }),
  }
}
