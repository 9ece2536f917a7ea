# server: the pages and workers of a plant. simulator: robots to try it with.
# Every package comes with the hash of requirements/. The base image is named by its
# release; pin it by digest where your registry is reached:
#   docker build --build-arg PYTHON_IMAGE=python:3.12-slim-bookworm@sha256:…
ARG PYTHON_IMAGE=python:3.12-slim-bookworm

FROM ${PYTHON_IMAGE} AS build
WORKDIR /src
COPY requirements requirements
RUN python -m venv /opt/mpms \
    && /opt/mpms/bin/pip install --no-cache-dir --require-hashes -r requirements/server.txt
COPY . .
RUN /opt/mpms/bin/pip install --no-cache-dir --no-deps --no-build-isolation .

FROM build AS build-simulator
RUN /opt/mpms/bin/pip install --no-cache-dir --require-hashes -r requirements/demo.txt

FROM ${PYTHON_IMAGE} AS server
RUN useradd --system --uid 10001 --create-home --home-dir /var/lib/mpms mpms \
    && install -d -o mpms -g mpms -m 0700 /var/lib/mpms/tls
COPY --from=build /opt/mpms /opt/mpms
COPY deploy/worker_alive.py deploy/web_alive.py /opt/mpms/health/
USER 10001
ENV PATH=/opt/mpms/bin:$PATH \
    MPMS_STATE_DIR=/var/lib/mpms \
    PYTHONDONTWRITEBYTECODE=1
VOLUME ["/var/lib/mpms"]
EXPOSE 8080
ENTRYPOINT ["mpms"]
CMD ["work"]

FROM server AS simulator
COPY --from=build-simulator /opt/mpms /opt/mpms
ENTRYPOINT ["shopfloor"]
CMD ["sim", "paint_factory", "--host", "0.0.0.0", "--port", "9090"]

FROM server
