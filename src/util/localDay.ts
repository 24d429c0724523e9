const DAY = 86_400_000

/** The timezone that is there unless another one is asked for. */
const UTC = 'UTC'

/** Longest time between two midnights: a day and the largest change of clocks. */
const HORIZON = 3 * DAY

const formats = new Map<string, Intl.DateTimeFormat>()

/** One calendar day in a timezone. */
export interface CalendarDay {
  /** Days since 1970-01-01 in the calendar of the timezone. */
  readonly day: number
  /** First millisecond of it, since 1970. */
  readonly start: number
  /** First millisecond of the next day: 23, 24 or 25 hours later where clocks change. */
  readonly end: number
}

/** True when a text names a timezone, such as `Europe/Zurich`. */
export function isTimezone(name: string): boolean {
  if (name === UTC) return true
  try {
    formatOf(name)
    return true
  } catch {
    return false
  }
}

/**
 * The calendar day of a time in a timezone, counted from 1970-01-01.
 * @param time milliseconds since 1970
 * @param timezone IANA name
 * @throws RangeError for an unknown timezone
 */
export function localDay(time: number, timezone: string): number {
  // Its days are all of one length; to load the calendars of the world takes longer than to start a worker.
  if (timezone === UTC) return Math.floor(time / DAY)
  const [month, day, year] = formatOf(timezone).format(time).split('/').map(Number)
  return Date.UTC(year ?? 0, (month ?? 1) - 1, day ?? 1) / DAY
}

/** The day that contains a time. @throws RangeError for an unknown timezone */
export function calendarDay(time: number, timezone: string): CalendarDay {
  const day = localDay(time, timezone)
  const isBefore = (time: number) => localDay(time, timezone) < day
  const isUpTo = (moment: number) => localDay(moment, timezone) <= day
  return {
    day,
    start: firstWithout(isBefore, time - HORIZON, time),
    end: firstWithout(isUpTo, time, time + HORIZON),
  }
}

/** First millisecond for which the condition no longer holds, between one where it does and one where it does not. */
function firstWithout(condition: (time: number) => boolean, from: number, to: number): number {
  let low = from
  let high = to
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (condition(middle)) low = middle
    else high = middle
  }
  return high
}

function formatOf(timezone: string): Intl.DateTimeFormat {
  const known = formats.get(timezone)
  if (known !== undefined) return known
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  })
  formats.set(timezone, format)
  return format
}
