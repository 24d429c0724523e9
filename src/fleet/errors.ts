import { JetStreamApiError } from '@nats-io/jetstream'
import { errors } from '@nats-io/transport-node'
import { CodedError } from '../util/codedError.ts'

/** Reason why something of the fleet failed, and what helps; null where nothing is to be done. */
const HINTS = {
  /** No NATS server answers. */
  Unreachable: 'check --fleet and that the servers run',
  /** NATS does not let this user in, or not do what was asked. */
  NotAuthorized:
    'check --fleet-user, --fleet-password or --fleet-credentials and the permissions of that user',
  /** The TLS connection was not made: certificates, or a server without TLS. */
  Tls: 'check --fleet-ca, --fleet-cert and --fleet-key, and that the servers offer TLS',
  /** A file of credentials or certificates cannot be read. */
  Unreadable: null,
  /** The server is older than fleets need. */
  ServerTooOld: null,
  /** The servers run without JetStream, or the account may not use it. */
  NoJetStream: 'run nats-server with JetStream (-js) and let this account use it',
  /** Buckets are missing: `fleet init` has not run. */
  NotCreated: 'run `rhizome fleet init` once',
  /** JetStream has not the room that buckets reserve. */
  NoRoom: 'raise max_file_store of the servers',
  /** There are fewer servers than replicas asked for. */
  TooFewServers:
    'start more NATS servers or give fewer --replicas; where room is missing, raise max_file_store',
  /** No answer in time: a server is slow, or JetStream has no quorum. */
  Timeout: 'see whether a majority of the NATS servers runs (`rhizome fleet status`)',
  /** No member with that id, or none that offers the service. */
  NoMember: null,
  /** More bytes than the bound. */
  TooLarge: null,
  /** Bytes of NATS that do not parse. */
  Malformed: null,
  /** The connection was closed by this process. */
  Closed: null,
  Failed: null,
} as const
export type FleetErrorCode = keyof typeof HINTS

/** A failure of the fleet; the message says what to do about it. */
export class FleetError extends CodedError<FleetErrorCode> {
  override readonly name = 'FleetError'
}

/** Codes of the JetStream API: `errors.json` of nats-server. */
const API_CODES: Readonly<Record<number, FleetErrorCode>> = {
  10005: 'TooFewServers',
  10023: 'NoRoom',
  10028: 'NoRoom',
  10039: 'NoJetStream',
  10047: 'NoRoom',
  10059: 'NotCreated',
  10074: 'TooFewServers',
  10076: 'NoJetStream',
}

/**
 * Makes a {@link FleetError} of what the NATS client threw.
 * @param doing what failed, the beginning of a sentence: `the stream x-log cannot be created`
 */
export function toFleetError(thrown: unknown, doing: string): FleetError {
  if (thrown instanceof FleetError) return thrown
  const code = codeOf(thrown)
  const hint = HINTS[code]
  const text = `${doing}: ${reasonOf(thrown)}`
  return new FleetError(code, hint === null ? text : `${text}; ${hint}`, { cause: thrown })
}

function codeOf(thrown: unknown): FleetErrorCode {
  if (thrown instanceof JetStreamApiError) {
    return API_CODES[thrown.code] ?? (thrown.status === 503 ? 'Timeout' : 'Failed')
  }
  if (isRefusedUser(thrown)) return 'NotAuthorized'
  if (thrown instanceof errors.TimeoutError) return 'Timeout'
  if (thrown instanceof errors.ClosedConnectionError || thrown instanceof errors.DrainingConnectionError) {
    return 'Closed'
  }
  if (thrown instanceof errors.RequestError) {
    // Nobody answers the API of JetStream: it is off, or has no leader.
    if (thrown.isNoResponders()) return 'NoJetStream'
    return thrown.cause === undefined ? 'Unreachable' : codeOf(thrown.cause)
  }
  if (thrown instanceof errors.NoRespondersError) return 'NoJetStream'
  if (isTlsFailure(thrown)) return 'Tls'
  return thrown instanceof errors.ConnectionError ? 'Unreachable' : systemCode(thrown)
}

function isRefusedUser(thrown: unknown): boolean {
  return (
    thrown instanceof errors.AuthorizationError ||
    thrown instanceof errors.UserAuthenticationExpiredError ||
    thrown instanceof errors.PermissionViolationError
  )
}

/** Error codes of certificates that OpenSSL does not accept, as Node names them. */
const TLS_CODES = /^(ERR_TLS|ERR_SSL|ERR_OSSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|INVALID_CA|EPROTO)/

function isTlsFailure(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false
  const { code } = thrown as NodeJS.ErrnoException
  if (typeof code === 'string' && TLS_CODES.test(code)) return true
  return /\btls\b/i.test(thrown.message) || isTlsFailure(thrown.cause)
}

const NETWORK_CODES = /^(ECONN|ENOTFOUND|EAI_|EHOST|ENET|ETIMEDOUT|EPIPE)/

function systemCode(thrown: unknown): FleetErrorCode {
  const { code } = (thrown ?? {}) as { code?: unknown }
  return typeof code === 'string' && NETWORK_CODES.test(code) ? 'Unreachable' : 'Failed'
}

function reasonOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown)
  const { message, cause } = thrown
  return cause instanceof Error && cause.message !== message && cause.message !== ''
    ? `${message} (${cause.message})`
    : message
}
