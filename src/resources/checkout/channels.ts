import type { Channel, Providers } from '../../providers/provider.ts'

/** What is offered, all of it when nothing is named, as far as it works in a mode now. */
export function workingOf(
  providers: Pick<Providers, 'channels'>,
  live: boolean,
  offered: readonly string[],
): Channel[] {
  const working = providers.channels(live)
  const wanted = offered.length > 0 ? [...new Set(offered as Channel[])] : working
  return wanted.filter((channel) => working.includes(channel))
}
