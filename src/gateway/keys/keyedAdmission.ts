import { moduleOf } from '../../rpc/availability.ts'
import type { MethodDefinition } from '../../rpc/defineMethod.ts'
import { RpcError } from '../../rpc/errors.ts'
import type { Admission, AdmissionRequest, Caller } from '../admission.ts'
import type { ApiKey } from './keyFile.ts'
import type { KeyRing } from './keyRing.ts'

/** The caller of a request with a key. */
interface KeyCaller extends Caller {
  /** Id of the key. */
  readonly name: string
}

/** Admission by API keys: the last part of the path is the key (specification, authentication). */
export function createKeyedAdmission(ring: KeyRing): Admission {
  return {
    admit: ({ path, origin }: AdmissionRequest): KeyCaller | RpcError => {
      const key = ring.find(lastSegment(path))
      if (key === null) return new RpcError('unauthorized')
      if (origin !== '' && key.origins !== null && !key.origins.has(origin)) {
        return new RpcError('unauthorized', 'the API key is not for pages of this origin')
      }
      return { name: key.id }
    },
    charge: (caller, method) => {
      // Looked up each time: a WebSocket may be older than the newest list of keys.
      const key = ring.byId(caller.name)
      if (key === null) return new RpcError('unauthorized')
      return isOpened(key, method)
        ? null
        : new RpcError('methodUnavailable', `the method ${method.name} does not exist/is not available`)
    },
  }
}

function isOpened({ methods, modules }: ApiKey, { name, aliases }: MethodDefinition): boolean {
  if (methods === null && modules === null) return true
  if (modules?.has(moduleOf(name)) === true) return true
  return methods !== null && [name, ...aliases].some((known) => methods.has(known))
}

/** What follows the last slash; clients may write one more behind it. */
function lastSegment(path: string): string {
  const end = path.endsWith('/') ? path.length - 1 : path.length
  return decode(path.slice(path.lastIndexOf('/', end - 1) + 1, end))
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
