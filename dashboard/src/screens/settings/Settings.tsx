import { Stack, Title } from '@mantine/core'
import type { Profile, ProfileSettings } from '../../../../sdk/src/operations.ts'
import { type Envelope, useRead } from '../../api/hooks.ts'
import { Card, Facts } from '../../parts/DetailPage.tsx'
import { Failure, LoadingScreen } from '../../parts/states.tsx'
import { Copyable, Status, When } from '../../parts/values.tsx'
import { useMay } from '../../shell/may.ts'
import { useMode } from '../../shell/where.ts'
import { RedirectSecret } from './RedirectSecret.tsx'
import { Rules } from './Rules.tsx'
import { SettlementAccount } from './SettlementAccount.tsx'

/** Who the business is, and by which rules its money comes and goes. */
export function Settings() {
  const may = useMay()
  const mode = useMode()
  const profile = useRead<Envelope<Profile>>('user-service/profile')
  const settings = useRead<Envelope<ProfileSettings>>('user-service/profile/settings')
  const mayWrite = may('profile:write')
  const isPending = profile.isPending || settings.isPending
  const about = profile.data?.data
  const rules = settings.data?.data
  return (
    <Stack gap="lg">
      <Title order={1}>Business</Title>
      {about && rules ? (
        <div className="beside">
          <Stack gap="lg">
            <Rules key={rules.updatedAt} of={rules} mayWrite={mayWrite} />
            <About of={about} />
          </Stack>
          <Stack gap="lg">
            <SettlementAccount of={rules} mayWrite={mayWrite} />
            {mayWrite && <RedirectSecret key={mode} />}
          </Stack>
        </div>
      ) : isPending ? (
        <LoadingScreen />
      ) : (
        <Failure
          error={profile.error ?? settings.error}
          again={() => {
            void profile.refetch()
            void settings.refetch()
          }}
        />
      )}
    </Stack>
  )
}

function About({ of }: { of: Profile }) {
  const owner = [of.firstName, of.lastName].filter(Boolean).join(' ')
  return (
    <Card title="About">
      <Facts
        of={{
          Name: of.businessName,
          'E-mail': of.email,
          Phone: of.phone ?? undefined,
          Owner: owner || undefined,
          Country: of.country,
          Currency: of.currency,
          'Business ID': <Copyable text={String(of.businessId)} />,
          Reference: <Copyable text={of.reference} />,
          Status: <Status of={of.status} />,
          Since: <When at={of.createdAt} />,
        }}
      />
    </Card>
  )
}
