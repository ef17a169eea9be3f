import { ScreenLink } from '../../parts/links.tsx'
import { useMay } from '../../shell/may.ts'
import { t } from '../../texts/ledger.ts'

/** From a record to what it did to the books. */
export function InLedger({ reference }: { reference: string }) {
  const may = useMay()
  if (!may('wallet:read')) return <>{reference}</>
  return (
    <ScreenLink to="ledger" search={{ reference }}>
      {t.whatItMoved}
    </ScreenLink>
  )
}
