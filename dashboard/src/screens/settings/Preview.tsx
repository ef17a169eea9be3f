import { Group, Loader, SegmentedControl, Skeleton, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { type Envelope, useReadBy } from '../../api/hooks.ts'
import { Drawing, PHONE } from '../../parts/Drawing.tsx'
import { t } from '../../texts/settings.ts'
import type { BrandingValues } from './Branding.tsx'

const PAGES = [
  { value: 'checkout', label: t.checkout },
  { value: 'invoice', label: t.invoice },
]
const SCHEMES = [
  { value: 'light', label: t.light },
  { value: 'dark', label: t.dark },
]
const TYPING_MS = 250

/** The payers' own pages, drawn by the server of what is being typed. */
export function Preview({ values: { logo, ...change } }: { values: BrandingValues }) {
  const [page, setPage] = useState('checkout')
  const [scheme, setScheme] = useState('light')
  const [typed] = useDebouncedValue(JSON.stringify(change), TYPING_MS)
  const chosen = logo === 'as stored' ? undefined : logo
  const size = chosen && { width: chosen.width, height: chosen.height }
  const asked = { page, scheme, change: JSON.parse(typed) as object, logo: size }
  const { data, isFetching, isError } = useReadBy<Envelope<{ html: string; unsavedLogo: string }>>(
    '/console/branding/preview',
    asked,
  )
  const { html = '', unsavedLogo = '' } = data?.data ?? {}
  // What was chosen is on this machine alone until it is saved.
  const shown = chosen && unsavedLogo ? html.replace(unsavedLogo, chosen.base64) : html
  return (
    <aside aria-label={t.preview} className="preview">
      <Group justify="space-between" gap="xs" mb="xs">
        <SegmentedControl
          size="xs"
          data={PAGES}
          value={page}
          onChange={setPage}
          aria-label={t.whichPage}
        />
        {isFetching && <Loader size={16} aria-label={t.drawingItAnew} />}
        <SegmentedControl
          size="xs"
          data={SCHEMES}
          value={scheme}
          onChange={setScheme}
          aria-label={t.onWhichScreens}
        />
      </Group>
      {shown !== '' ? (
        <Drawing html={shown} title={t.whatPayersSee(page)} size={PHONE} />
      ) : isError ? (
        <Text size="sm" c="dimmed">
          {t.thePreviewCouldNotBe}
        </Text>
      ) : (
        <Skeleton height={420} />
      )}
      <Text size="sm" c="dimmed" mt="xs">
        {t.whatPayersSeeWithMade}
      </Text>
    </aside>
  )
}
