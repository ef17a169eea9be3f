import { Approval } from './Approval.tsx'
import type { SectionProps } from './Settings.tsx'
import { SettlementAccount } from './SettlementAccount.tsx'

export function Payouts({ rules, mayWrite }: SectionProps) {
  return (
    <>
      <SettlementAccount of={rules} mayWrite={mayWrite} />
      <Approval rules={rules} mayWrite={mayWrite} />
    </>
  )
}
