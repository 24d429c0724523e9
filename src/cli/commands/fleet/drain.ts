import { randomBytes } from 'node:crypto'
import { CallRefusal } from '../../../fleet/errors.ts'
import { findMemberFile } from '../../../fleet/memberFile.ts'
import { MemberCalls } from '../../../fleet/nats/calls.ts'
import { type ListedMember, readMembers } from '../../../fleet/readMembers.ts'
import { defineCommand } from '../../command.ts'
import { CommandError } from '../../errors.ts'
import { EXIT_CODES } from '../../exitCodes.ts'
import { FLEET_CONNECTION_OPTIONS, type FleetTools, withFleet } from '../../fleetCommand.ts'

/** Milliseconds in which a member has handed over what others can take. */
const PATIENCE = 120_000
const LARGEST_ANSWER = 65_536
const SERVICE = 'drain'

/** `rhizome fleet drain`: lets a member leave, so that its machine can be stopped. */
export const fleetDrain = defineCommand({
  name: 'fleet drain',
  summary: 'let a member hand its filters over and leave, so that it can be stopped',
  details: 'A member is named by its name, number or id; without one it is that of the data directory.',
  files: 'none',
  argument: { placeholder: '[MEMBER]', doc: 'name, number or id of a member' },
  options: [...FLEET_CONNECTION_OPTIONS, 'network', 'dataDir'],
  extra: {},
  run: ({ config, files: [wanted], stdout }) =>
    withFleet(config, async (tools) => {
      const { members } = await readMembers(tools.connection.nats, tools.names)
      const member =
        wanted === undefined ? ownMember(config.dataDir, tools, members) : findMember(members, wanted)
      await drain(tools, member)
      stdout.write(`${member.record.name} (${member.id}) has left the fleet\n`)
      return EXIT_CODES.ok
    }),
})

function ownMember(dataDir: string, { names }: FleetTools, members: readonly ListedMember[]): ListedMember {
  const id = findMemberFile(dataDir, names.fleet)?.id
  if (id === undefined) {
    throw new CommandError('Failed', `${dataDir} is of no member of a fleet: name a member`, EXIT_CODES.usage)
  }
  return findMember(members, id)
}

function findMember(members: readonly ListedMember[], wanted: string): ListedMember {
  const found = members.filter(
    ({ id, record }) => id === wanted || record.name === wanted || String(record.number) === wanted,
  )
  const [member] = found
  if (member === undefined) {
    const all = members.map(({ record }) => record.name).join(', ') || 'none'
    throw new CommandError('Failed', `no member ${wanted}; there are: ${all}`)
  }
  if (found.length === 1) return member
  const ids = found.map(({ id }) => id).join(', ')
  throw new CommandError('Failed', `several members are called ${wanted}: give one of the ids ${ids}`)
}

async function drain({ connection, names }: FleetTools, { id, record }: ListedMember): Promise<void> {
  const self = randomBytes(8).toString('hex')
  const calls = new MemberCalls({ connection, names, self })
  try {
    await calls.call(id, SERVICE, Buffer.alloc(0), { milliseconds: PATIENCE, limit: LARGEST_ANSWER })
  } catch (error) {
    if (!(error instanceof CallRefusal)) throw error
    throw new CommandError('Failed', `${record.name} does not leave: ${error.message}`, EXIT_CODES.failed, {
      cause: error,
    })
  } finally {
    calls.close()
  }
}
