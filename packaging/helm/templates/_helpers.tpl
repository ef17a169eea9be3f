{{- define "tradepost.name" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{ .Release.Name | trunc 50 | trimSuffix "-" }}
{{- else -}}
{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" }}
{{- end -}}
{{- end }}

{{- define "tradepost.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "tradepost.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{ include "tradepost.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "tradepost.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{/* What every container needs, in a list under `containers`. */}}
{{- define "tradepost.container" -}}
{{- include "tradepost.requireKept" . -}}
image: {{ include "tradepost.image" . }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
env:
  # Named here, because without it a server would use an embedded database. As it is, a pod waits for
  # a secret that has it.
  - name: DATABASE_URL
    valueFrom:
      secretKeyRef:
        name: {{ .Values.existingSecret }}
        key: DATABASE_URL
  - name: PUBLIC_URL
    value: {{ .Values.publicUrl | quote }}
  - name: TRUST_PROXY
    value: {{ .Values.trustProxy | quote }}
  # For health checks and metrics of pods that only run jobs.
  - name: WORKER_PORT
    value: '4000'
  {{- /* Numbers in YAML are floating-point numbers here, and would become 3.6e+06. */}}
  {{- range $name, $value := .Values.settings }}
  - name: {{ $name }}
    value: {{ ternary $value (int64 $value) (kindIs "string" $value) | quote }}
  {{- end }}
envFrom:
  - secretRef:
      name: {{ .Values.existingSecret }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
volumeMounts:
  - name: data
    mountPath: /data
  - name: scratch
    mountPath: /tmp
  {{- with .Values.extraVolumeMounts }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}

{{/* Rows are deleted once they are in RETENTION_ARCHIVE, so it must outlive the pod. */}}
{{- define "tradepost.requireKept" -}}
{{- $kept := list -}}
{{- if or .Values.files.existingClaim .Values.files.create -}}
{{- $kept = append $kept "/data" -}}
{{- end -}}
{{- range .Values.extraVolumeMounts -}}
{{- $kept = append $kept .mountPath -}}
{{- end -}}
{{- with (.Values.settings | default dict).RETENTION_ARCHIVE -}}
{{- $archive := printf "%s/" . -}}
{{- $isKept := false -}}
{{- range $kept -}}
{{- $isKept = or $isKept (hasPrefix (printf "%s/" (trimSuffix "/" .)) $archive) -}}
{{- end -}}
{{- if not $isKept -}}
{{- fail (printf "settings.RETENTION_ARCHIVE is %s, which is lost with the pod: put it on a volume of extraVolumeMounts" .) -}}
{{- end -}}
{{- end -}}
{{- end }}

{{/* What every pod needs. */}}
{{- define "tradepost.pod" -}}
automountServiceAccountToken: false
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile:
    type: RuntimeDefault
{{- end }}

{{- define "tradepost.volumes" -}}
volumes:
  {{- include "tradepost.otherVolumes" . | nindent 2 }}
  - name: data
    {{- if or .Values.files.existingClaim .Values.files.create }}
    persistentVolumeClaim:
      claimName: {{ .Values.files.existingClaim | default (printf "%s-files" (include "tradepost.name" .)) }}
    {{- else }}
    emptyDir: {}
    {{- end }}
{{- end }}

{{/* Without /data, which the jobs do not share with the servers. */}}
{{- define "tradepost.otherVolumes" -}}
- name: scratch
  emptyDir: {}
{{- with .Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "tradepost.probes" -}}
startupProbe:
  httpGet: { path: /health/live, port: http }
  periodSeconds: 2
  # The database can take a minute to accept connections, and two to be updated by another pod.
  failureThreshold: 120
livenessProbe:
  httpGet: { path: /health/live, port: http }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
readinessProbe:
  httpGet: { path: /health/ready, port: http }
  periodSeconds: 5
  timeoutSeconds: 3
  failureThreshold: 2
{{- end }}
