import { isIPv6 } from 'node:net'

/** An address with a port, as Go's programs write it. */
export function hostPort(address: string, port: number): string {
  return isIPv6(address) ? `[${address}]:${port}` : `${address}:${port}`
}
