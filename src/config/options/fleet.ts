import { hostname } from 'node:os'
import type { OptionTable } from '../option.ts'

/** The form of a name of a fleet: it begins names of buckets and subjects. */
export const FLEET_NAME = /^[a-z0-9-]{1,32}$/

/** Members of one service over NATS (src/fleet/fleet.md). */
export const FLEET_OPTIONS = {
  fleet: {
    kind: 'list',
    group: 'Fleet',
    placeholder: 'URL',
    default: [],
    doc: 'NATS servers through which nodes hear of one another as members of one service, as nats://host:port or tls://host:port',
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
  fleetCredentials: {
    kind: 'optionalText',
    group: 'Fleet',
    placeholder: 'FILE',
    default: null,
    doc: 'Credentials of NATS, a .creds file',
  },
  fleetUser: {
    kind: 'optionalText',
    group: 'Fleet',
    placeholder: 'USER',
    default: null,
    doc: 'User of NATS, in place of credentials',
  },
  fleetPassword: {
    kind: 'optionalText',
    group: 'Fleet',
    placeholder: 'PASSWORD',
    default: null,
    secret: true,
    doc: 'Password of that user',
  },
  fleetCa: {
    kind: 'optionalText',
    group: 'Fleet',
    placeholder: 'FILE',
    default: null,
    doc: 'Certificates of the authorities that NATS servers are checked with, PEM',
  },
  fleetCert: {
    kind: 'optionalText',
    group: 'Fleet',
    placeholder: 'FILE',
    default: null,
    doc: 'Certificate that this member shows to NATS servers, PEM',
  },
  fleetKey: {
    kind: 'optionalText',
    group: 'Fleet',
    placeholder: 'FILE',
    default: null,
    doc: 'Private key of that certificate, PEM',
  },
  fleetLag: {
    kind: 'integer',
    group: 'Fleet',
    minimum: 1,
    maximum: 3600,
    default: 10,
    doc: 'Seconds by which a member may be behind the others before nobody waits for it',
  },
  fleetAdoptWait: {
    kind: 'integer',
    group: 'Fleet',
    minimum: 0,
    maximum: 10_000,
    default: 500,
    doc: 'Milliseconds for which an executed block waits at most until other members have it',
  },
  fleetSendWait: {
    kind: 'integer',
    group: 'Fleet',
    minimum: 0,
    maximum: 10_000,
    default: 100,
    doc: 'Milliseconds for which the answer to a sent transaction waits at most until other members have it',
  },
  fleetP2pAddress: {
    kind: 'optionalText',
    group: 'Fleet',
    placeholder: 'HOST[:PORT]',
    default: null,
    doc: 'Where other members reach the peer port of this one, in place of its own address',
  },
} as const satisfies OptionTable

/** Options that there were, and what takes their place: whoever gives one is told. */
export const GONE_FLEET_OPTIONS: Readonly<Record<string, string>> = {
  fleetLease: 'members have no leases: who was not heard for 2 s is not waited for',
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
