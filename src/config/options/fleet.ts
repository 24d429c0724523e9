import { hostname } from 'node:os'
import type { OptionTable } from '../option.ts'

/** What a name of a fleet looks like: it begins names of streams, buckets and subjects. */
export const FLEET_NAME = /^[a-z0-9-]{1,32}$/

/** In place of a folder or an address: the newest snapshot of the fleet. */
export const FLEET_BOOTSTRAP = 'fleet'

/** Members of one service over NATS (src/fleet/fleet.md). */
export const FLEET_OPTIONS = {
  fleet: {
    kind: 'list',
    group: 'Fleet',
    placeholder: 'URL',
    default: [],
    doc: 'NATS servers through which nodes are one service, as nats://host:port or tls://host:port',
  },
  fleetName: {
    kind: 'text',
    group: 'Fleet',
    placeholder: 'NAME',
    pattern: FLEET_NAME,
    default: 'rhizome',
    doc: 'Name of the fleet: begins the names of its streams and buckets',
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
  fleetSystem: {
    kind: 'optionalText',
    group: 'Fleet',
    placeholder: 'USER:PASSWORD',
    default: null,
    secret: true,
    doc: 'User of the system account of NATS, with which the servers are asked whether they write to disk before they acknowledge',
  },
  fleetLease: {
    kind: 'integer',
    group: 'Fleet',
    minimum: 500,
    maximum: 60_000,
    default: 3000,
    doc: 'Milliseconds after which a member that reaches nobody counts as cut off',
  },
  fleetHold: {
    kind: 'integer',
    group: 'Fleet',
    minimum: 1,
    maximum: 60_000,
    default: 50,
    doc: 'Milliseconds for which requests wait for a change of the head before they are refused',
  },
  fleetRound: {
    kind: 'integer',
    group: 'Fleet',
    minimum: 10,
    maximum: 60_000,
    default: 1000,
    doc: 'Milliseconds for which the leader waits for members before it gives a change of the head up',
  },
  fleetLag: {
    kind: 'integer',
    group: 'Fleet',
    minimum: 1,
    maximum: 3600,
    default: 10,
    doc: 'Seconds by which a member may be behind the others before it leaves',
  },
  fleetIsolated: {
    kind: 'choice',
    group: 'Fleet',
    values: ['refuse', 'serve'],
    default: 'refuse',
    doc: 'What a member that is cut off does with requests relative to the head',
  },
  fleetSnapshotBlocks: {
    kind: 'integer',
    group: 'Fleet',
    minimum: 0,
    maximum: 100_000_000,
    default: 0,
    doc: 'Blocks after which another member makes a snapshot for new members; 0 for never',
  },
  fleetSignerKey: {
    kind: 'optionalText',
    group: 'Fleet',
    placeholder: 'FILE',
    default: null,
    doc: 'Key file (`rhizome snapshot key create`) with which this member signs snapshots that it made or checked',
  },
  fleetSignerPassphrase: {
    kind: 'optionalText',
    group: 'Fleet',
    placeholder: 'FILE',
    default: null,
    doc: 'File whose first line is the passphrase of that key',
  },
  fleetFanOut: {
    kind: 'integer',
    group: 'Fleet',
    minimum: 0,
    maximum: 10_000_000,
    default: 20_000,
    doc: 'Blocks of a search from which on members share it; 0 for never',
  },
} as const satisfies OptionTable
