import { hostname } from 'node:os'
import type { OptionTable } from '../option.ts'

/** The form of a name of a fleet: it begins names of buckets and subjects. */
export const FLEET_NAME = /^[a-z0-9-]{1,32}$/

const text = (placeholder: string, doc: string) =>
  ({ kind: 'optionalText', group: 'Fleet', placeholder, default: null, doc }) as const

const number = (
  bounds: { readonly minimum: number; readonly maximum: number },
  preset: number,
  doc: string,
) => ({ kind: 'integer', group: 'Fleet', ...bounds, default: preset, doc }) as const

/** Longest waits, milliseconds. */
const WAITS = { minimum: 0, maximum: 10_000 }

/** Members of one service over NATS (src/fleet/fleet.md). */
export const FLEET_OPTIONS = {
  fleet: {
    kind: 'list',
    group: 'Fleet',
    placeholder: 'URL',
    default: [],
    doc: 'NATS servers through which nodes find one another as members of one service, as nats://host:port or tls://host:port',
  },
  fleetName: {
    kind: 'text',
    group: 'Fleet',
    placeholder: 'NAME',
    pattern: FLEET_NAME,
    default: 'rhizome',
    doc: 'Name of the fleet: begins the names of its buckets and subjects',
  },
  fleetMember: {
    kind: 'text',
    group: 'Fleet',
    placeholder: 'NAME',
    default: () => hostname(),
    defaultText: 'name of the machine',
    doc: 'Name of this member, for people',
  },
  fleetCredentials: text('FILE', 'Credentials of NATS, a .creds file'),
  fleetUser: text('USER', 'User of NATS, in place of credentials'),
  fleetPassword: { ...text('PASSWORD', 'Password of that user'), secret: true },
  fleetCa: text('FILE', 'Certificates of the authorities that NATS servers are checked with, PEM'),
  fleetCert: text('FILE', 'Certificate that this member shows to NATS servers, PEM'),
  fleetKey: text('FILE', 'Private key of that certificate, PEM'),
  fleetLag: number(
    { minimum: 1, maximum: 3600 },
    10,
    'Seconds by which a member may be behind the others before nobody waits for it',
  ),
  fleetAdoptWait: number(
    WAITS,
    500,
    'Milliseconds for which an executed block waits at most until other members have it',
  ),
  fleetSendWait: number(
    WAITS,
    100,
    'Milliseconds for which the answer to a sent transaction waits at most until other members have it',
  ),
  fleetP2pAddress: text(
    'HOST[:PORT]',
    'Where other members reach the peer port of this one, in place of its own address',
  ),
} as const satisfies OptionTable

/** Options that there were, and what replaced them: the error for one names it. */
export const GONE_FLEET_OPTIONS: Readonly<Record<string, string>> = {
  fleetLease: 'members have no leases: nobody waits for one of which nothing came for 2 s',
  fleetHold: 'requests are not held: --fleet-adopt-wait is how long a block waits for other members',
  fleetRound: 'there are no rounds: --fleet-adopt-wait is how long a block waits for other members',
  fleetIsolated: 'a member that is cut off goes on as a node alone',
  fleetSnapshotBlocks: 'take snapshots with `rhizome snapshot create` by a timer',
  fleetSignerKey: 'heads are not signed, and snapshots are made with `rhizome snapshot create --signer-key`',
  fleetSignerPassphrase: 'heads are not signed, and snapshots are made with `rhizome snapshot create`',
  fleetKeys: 'heads are not signed: trust snapshots with --snapshot-keys',
  fleetQuorum: 'heads are not signed: each member checks every block by itself',
  fleetFanOut: 'members do not share searches',
  fleetFanOutLogs: 'members do not share searches',
  fleetSystem: 'nothing that a member acknowledges depends on the disks of NATS servers',
}
