import type { HttpResponse } from 'uWebSockets.js'
import type { Account } from '../gateway/access/account.ts'

/** Seconds that a client should wait after 429 when it is not its own limit that is over. */
const SOON_SECONDS = 1

/** Writes the time to come back after an answer 503: soon, here or at another node. */
export function writeRetryAfter(response: HttpResponse, isForPages: boolean): void {
  response.writeHeader('Retry-After', String(SOON_SECONDS))
  if (isForPages) response.writeHeader('Access-Control-Expose-Headers', 'Retry-After')
}

/**
 * The headers of an answer 429: when to come back, and the limits (draft-ietf-httpapi-ratelimit-headers-11).
 * @param account null where nobody is known
 * @param isForPages whether scripts of pages are to be shown them
 */
export function writeLimitHeaders(
  response: HttpResponse,
  account: Account | null,
  isForPages: boolean,
): void {
  response.writeHeader('Retry-After', String(account?.retryAfter() ?? SOON_SECONDS))
  const headers = account?.rateLimitHeaders() ?? null
  if (headers !== null) {
    response.writeHeader('RateLimit-Policy', headers.policy)
    response.writeHeader('RateLimit', headers.state)
  }
  if (isForPages)
    response.writeHeader('Access-Control-Expose-Headers', 'Retry-After, RateLimit-Policy, RateLimit')
}
