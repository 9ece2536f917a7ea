# The bare wheel: a server without the demo. compose.yaml brings PostgreSQL.
FROM python:3.12-slim AS build
WORKDIR /src
COPY . .
RUN pip wheel --no-cache-dir --constraint constraints.txt --wheel-dir /wheels .

FROM python:3.12-slim
RUN useradd --system --create-home --home-dir /var/lib/mpms mpms
COPY --from=build /wheels /wheels
RUN pip install --no-cache-dir --no-index --find-links /wheels mpms && rm -rf /wheels
USER mpms
ENV MPMS_STATE_DIR=/var/lib/mpms
ENTRYPOINT ["mpms"]
CMD ["work"]
