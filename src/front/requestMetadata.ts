import type { HttpRequest, HttpResponse } from 'uWebSockets.js'
import type { AdmissionRequest } from '../gateway/admission.ts'
import type { PageMetadata } from './origins.ts'

/** What of a request says which page it comes from. */
export function pageMetadataOf(request: HttpRequest): PageMetadata {
  return {
    origin: request.getHeader('origin'),
    host: request.getHeader('host'),
    site: request.getHeader('sec-fetch-site'),
  }
}

/** What admission may ask about a request, taken from it only then: each look costs a call into the library. */
export class RequestMetadata implements AdmissionRequest {
  readonly #response: HttpResponse
  readonly #request: HttpRequest
  readonly #path: string | null

  /** @param path in place of the request's own */
  constructor(response: HttpResponse, request: HttpRequest, path: string | null = null) {
    this.#response = response
    this.#request = request
    this.#path = path
  }

  get path(): string {
    return this.#path ?? this.#request.getUrl()
  }

  get origin(): string {
    return this.#request.getHeader('origin')
  }

  get address(): ArrayBuffer {
    return this.#response.getRemoteAddress()
  }

  get forwardedFor(): string {
    return this.#request.getHeader('x-forwarded-for')
  }
}
