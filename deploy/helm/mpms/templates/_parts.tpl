{{- define "mpms.image" -}}
{{ .Values.image.repository }}{{ if .Values.image.digest }}@{{ .Values.image.digest }}{{ else }}:{{ .Values.image.tag }}{{ end }}
{{- end }}

{{- define "mpms.labels" -}}
app.kubernetes.io/name: mpms
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "mpms.pod" -}}
automountServiceAccountToken: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  fsGroup: 10001
  seccompProfile: {type: RuntimeDefault}
volumes:
  - name: secrets
    secret: {secretName: {{ .Values.secret }}, defaultMode: 0440}
  - name: state
    persistentVolumeClaim: {claimName: {{ .Release.Name }}-state}
  - name: tmp
    emptyDir: {}
{{- end }}

{{- define "mpms.container" -}}
image: {{ include "mpms.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: {drop: [ALL]}
volumeMounts:
  - {name: secrets, mountPath: /run/secrets/mpms, readOnly: true}
  - {name: state, mountPath: /var/lib/mpms}
  - {name: tmp, mountPath: /tmp}
{{- end }}

{{- define "mpms.environment" -}}
- {name: CREDENTIALS_DIRECTORY, value: /run/secrets/mpms}
{{- range $name, $value := .Values.settings }}
- {name: {{ $name }}, value: {{ $value | quote }}}
{{- end }}
{{- end }}
