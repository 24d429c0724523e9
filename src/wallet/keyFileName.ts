/**
 * Name of a key file as geth gives it: time of making in UTC with nanoseconds, colons as dashes, address.
 * @param milliseconds since 1970
 *
 * @example
 * keyFileName(address, 0) // UTC--1970-01-01T00-00-00.000000000Z--7ef5…
 */
export function keyFileName(address: Buffer, milliseconds: number): string {
  const time = new Date(milliseconds).toISOString().replaceAll(':', '-').replace('Z', '000000Z')
  return `UTC--${time}--${address.toString('hex')}`
}
