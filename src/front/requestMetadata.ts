import type { HttpRequest, HttpResponse } from 'uWebSockets.js'
import type { Admission, AdmissionRequest } from '../gateway/admission.ts'
import { pageOriginOf } from '../util/webOrigin.ts'
import type { PageMetadata } from './origins.ts'

/** The scheme in `X-Forwarded-Proto`, where it is a trusted proxy that sends it; else empty. */
export function trustedScheme(header: string, response: HttpResponse, admission: Admission): string {
  return header !== '' && admission.isProxy(response.getRemoteAddress()) ? header : ''
}

/** The headers of a request that say which page it comes from. */
export function pageMetadataOf(
  response: HttpResponse,
  request: HttpRequest,
  admission: Admission,
): PageMetadata {
  return {
    origin: pageOriginOf(request.getHeader('origin')),
    host: request.getHeader('host'),
    site: request.getHeader('sec-fetch-site'),
    forwardedScheme: trustedScheme(request.getHeader('x-forwarded-proto'), response, admission),
  }
}

/**
 * What admission may ask about a request, taken from it only then: each look costs a call into the library. One serves
 * all requests that are admitted by the same account.
 */
export class RequestMetadata implements AdmissionRequest {
  #response: HttpResponse | null = null
  #request: HttpRequest | null = null
  #path: string | null = null

  /** Selects the request that is asked about from now on. @param path in place of the request's own */
  of(response: HttpResponse, request: HttpRequest, path: string | null = null): this {
    this.#response = response
    this.#request = request
    this.#path = path
    return this
  }

  get path(): string {
    return this.#path ?? this.#request?.getUrl() ?? ''
  }

  get origin(): string {
    return pageOriginOf(this.#request?.getHeader('origin') ?? '')
  }

  get address(): ArrayBuffer {
    return this.#response?.getRemoteAddress() ?? NO_ADDRESS
  }

  get forwardedFor(): string {
    return this.#request?.getHeader('x-forwarded-for') ?? ''
  }
}

const NO_ADDRESS = new ArrayBuffer(0)
